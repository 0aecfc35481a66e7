import { hash } from 'node:crypto'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { MeetingProvider } from '../../kernel/credentials/public.ts'
import { OutboundError } from '../../kernel/outbound/outbound.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
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

/** The answer of a provider (RFC 6749, 5.1). Other members are stored too. */
interface Tokens {
  readonly access_token: string
  readonly expires_in?: unknown
  readonly scope?: unknown
}

const textMax = 2048

/**
 * Exchanges the provider's code for tokens. The state is consumed first, also when the exchange fails later: a second callback with
 * the same state is refused, and so is a callback from another session.
 */
export async function meetingCallback(ctx: IdentityContext, callback: Callback): Promise<MeetingConnection> {
  const { code, state } = callback
  refuseAny([
    ...textProblems('code', code, { min: 1, max: textMax }),
    ...textProblems('state', state, { min: 1, max: textMax }),
  ])
  const provider = providerNamed(ctx, callback.provider)
  const verifier = await consumeState(ctx, callback)
  const tokens = await exchangeCode(ctx, provider, code, verifier)
  await loadDataKeys(ctx)
  return storeConnection(ctx, provider.name, tokens)
}

async function consumeState(ctx: IdentityContext, { provider, state }: Callback): Promise<string> {
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
  const message =
    'The state is wrong, was already used, has expired or belongs to another session. Start the connection again.'
  throw invalid({ path: 'state', code: 'STATE_INVALID', message })
}

async function exchangeCode(
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
  const unavailable = new Refusal('UNAVAILABLE', `${name} did not return tokens; start the connection again in 10 s.`, {
    retryAfter: 10,
  })
  const answer = await ctx.outbound
    .send({ method: 'POST', url: tokenUrl, headers, body: body.toString(), answerBytesMax: 65_536 })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      ctx.log.warn({ provider: name, reason: error.message }, 'the request to a meeting provider failed')
      throw unavailable
    })
  if (answer.status >= 400 && answer.status < 500) {
    throw invalid({
      path: 'code',
      code: 'CODE_REFUSED',
      message: `${name} refused the code. Start the connection again.`,
    })
  }
  const tokens = answer.status === 200 ? tokensIn(answer.body) : null
  if (!tokens) throw unavailable
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

function storeConnection(ctx: IdentityContext, provider: string, tokens: Tokens): Promise<MeetingConnection> {
  const { organizationId, userId } = ctx.caller
  const now = ctx.clock.now()
  const seconds = Number(tokens.expires_in)
  const isDated = Number.isFinite(seconds) && seconds > 0 && seconds < 1e9
  const expiresAt = isDated ? new Date(now.getTime() + seconds * 1000).toISOString() : null
  const scope = typeof tokens.scope === 'string' ? tokens.scope.slice(0, textMax) : null
  return inTransaction(ctx, async (inner) => {
    await lockSession(inner)
    const id = newId()
    // Tokens are encrypted for the id of their connection, so connecting again creates a new connection.
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
    if (!isStored) throw refusalInSituation('The provider was connected by another request at the same time.')
    return { provider, scope, connectedAt: stored.connectedAt, expiresAt }
  })
}

/** The session may have ended during the request to the provider. The lock makes a concurrent end of the session wait. */
async function lockSession({ db, caller }: IdentityContext): Promise<void> {
  const live = await db.query(
    'select 1 from identity.session where organization_id = $1 and id = $2 and ended_at is null for share',
    [caller.organizationId, caller.credentialId],
  )
  if (live.length === 0) throw new Refusal('UNAUTHENTICATED', 'The session has ended; sign in again.')
}
