import { hash } from 'node:crypto'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { MeetingProvider } from '../../kernel/credentials/public.ts'
import { OutboundError } from '../../kernel/outbound/outbound.ts'
import { inTransaction, loadDataKeys } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { insertRow, writeChange } from '../../kernel/record/write-change.ts'
import { refuseAny, textProblems } from '../text.ts'
import { endConnections } from './disconnect-meeting.ts'
import { meetingConnectionChanges } from './meeting.events.ts'
import {
  providerNamed,
  redirectUriOf,
  tokensPlace,
  verifierPlace,
  type MeetingConnection,
  type StoredConnection,
} from './meeting.ts'

export interface Callback {
  readonly provider: string
  readonly code: string
  readonly state: string
}

/** What a provider may answer (RFC 6749, 5.1); more is kept with it. */
interface Tokens {
  readonly access_token: string
  readonly expires_in?: unknown
  readonly scope?: unknown
}

const textMax = 2048

/**
 * Trades the provider's code for tokens. The state is used up first, whatever comes of it: a second answer for the same
 * state is refused, and so is one that another session brings.
 */
export async function meetingCallback(ctx: IdentityContext, callback: Callback): Promise<MeetingConnection> {
  const { code, state } = callback
  refuseAny([
    ...textProblems('code', code, { min: 1, max: textMax }),
    ...textProblems('state', state, { min: 1, max: textMax }),
  ])
  const provider = providerNamed(ctx, callback.provider)
  const verifier = await takeState(ctx, callback)
  const tokens = await exchanged(ctx, provider, code, verifier)
  await loadDataKeys(ctx)
  return store(ctx, provider.name, tokens)
}

async function takeState(ctx: IdentityContext, { provider, state }: Callback): Promise<string> {
  const { organizationId, credentialId: sessionId } = ctx.caller
  const [taken] = await ctx.db.query<{ id: string; verifier: string }>(
    `update identity.meeting_state set used_at = $5
     where organization_id = $1 and state_hash = $2 and provider = $3 and session_id = $4 and used_at is null and expires_at > $5
     returning id, verifier`,
    [organizationId, hash('sha256', state, 'hex'), provider, sessionId, ctx.clock.now().toISOString()],
  )
  if (taken) {
    await loadDataKeys(ctx, taken.verifier)
    return ctx.vault.open(organizationId, verifierPlace(organizationId, taken.id), taken.verifier)
  }
  const message = 'The state is wrong, was used, has expired or belongs to another session.'
  throw invalid({ path: 'state', code: 'STATE_INVALID', message })
}

async function exchanged(
  ctx: IdentityContext,
  provider: MeetingProvider,
  code: string,
  verifier: string,
): Promise<Tokens> {
  const { tokenUrl, clientId, clientSecret, name } = provider
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUriOf(ctx, provider),
    code_verifier: verifier,
  })
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
    authorization: `Basic ${basic}`,
  }
  const away = new Refusal('UNAVAILABLE', `${name} did not answer properly; connect again.`, { retryAfter: 10 })
  const answer = await ctx.outbound
    .send({ method: 'POST', url: tokenUrl, headers, body: body.toString(), answerBytesMax: 65_536 })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      ctx.log.warn({ provider: name, reason: error.message }, 'a meeting provider was not reached')
      throw away
    })
  if (answer.status >= 400 && answer.status < 500) {
    throw invalid({ path: 'code', code: 'CODE_REFUSED', message: `${name} refused the code.` })
  }
  const tokens = answer.status === 200 ? tokensIn(answer.body) : null
  if (!tokens) throw away
  return tokens
}

function tokensIn(body: Buffer): Tokens | null {
  try {
    const tokens = JSON.parse(body.toString('utf8')) as Partial<Tokens> | null
    return typeof tokens?.access_token === 'string' ? (tokens as Tokens) : null
  } catch {
    return null
  }
}

function store(ctx: IdentityContext, provider: string, tokens: Tokens): Promise<MeetingConnection> {
  const { organizationId, userId } = ctx.caller
  const now = ctx.clock.now()
  const seconds = Number(tokens.expires_in)
  const isDated = Number.isFinite(seconds) && seconds > 0 && seconds < 1e9
  const expiresAt = isDated ? new Date(now.getTime() + seconds * 1000).toISOString() : null
  const scope = typeof tokens.scope === 'string' ? tokens.scope.slice(0, textMax) : null
  return inTransaction(ctx, async (inner) => {
    await lockSession(inner)
    const id = newId()
    // Connecting again is a new connection with a place of its own to seal for.
    await endConnections(inner, userId, provider)
    const stored: StoredConnection = { id, organizationId, userId, provider, scope, connectedAt: now.toISOString() }
    const row = {
      organization_id: organizationId,
      id,
      user_id: userId,
      provider,
      tokens: ctx.vault.seal(organizationId, tokensPlace(organizationId, id), JSON.stringify(tokens)),
      scope,
      expires_at: expiresAt,
      connected_at: stored.connectedAt,
    }
    const isStored = await writeChange(
      inner,
      meetingConnectionChanges,
      { operation: 'CREATE', previous: null, next: stored },
      (values) =>
        insertRow(
          values,
          'identity.meeting_connection',
          row,
          'on conflict (organization_id, user_id, provider) do nothing',
        ),
    )
    if (!isStored) throw new Refusal('INVALID_STATE', 'The provider was connected by another request at the same time.')
    return { provider, scope, connectedAt: stored.connectedAt, expiresAt }
  })
}

/** The provider takes its time: a session that has ended by then connects nothing, and whoever ends it now waits. */
async function lockSession({ db, caller }: IdentityContext): Promise<void> {
  const live = await db.query(
    'select 1 from identity.session where organization_id = $1 and id = $2 and ended_at is null for share',
    [caller.organizationId, caller.credentialId],
  )
  if (live.length === 0) throw new Refusal('UNAUTHENTICATED', 'The session is over; sign in again.')
}
