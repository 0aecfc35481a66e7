import { hash, randomBytes } from 'node:crypto'
import { newId } from '../../kernel/ids.ts'
import { loadDataKeys } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { providerNamed, redirectUriOf, verifierPlace, type MeetingAuthorization } from './meeting.ts'

const lifeMs = 10 * 60_000
const secret = (): string => randomBytes(32).toString('base64url')

/** Starts the OAuth flow with a meeting provider. The callback is accepted once, and only from the same session. */
export async function connectMeeting(ctx: IdentityContext, name: string): Promise<MeetingAuthorization> {
  const provider = providerNamed(ctx, name)
  const { organizationId, userId, credentialId: sessionId } = ctx.caller
  const [id, state, verifier] = [newId(), secret(), secret()]
  const expiresAt = new Date(ctx.clock.now().getTime() + lifeMs).toISOString()
  await loadDataKeys(ctx)
  await ctx.db.query(
    `insert into identity.meeting_state (organization_id, id, session_id, user_id, provider, state_hash, verifier, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      organizationId,
      id,
      sessionId,
      userId,
      name,
      hash('sha256', state, 'hex'),
      ctx.vault.seal(organizationId, verifierPlace(organizationId, id), verifier),
      expiresAt,
    ],
  )
  const url = new URL(provider.authorizeUrl)
  const query = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: redirectUriOf(ctx, provider),
    ...(provider.scope && { scope: provider.scope }),
    state,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  return { authorizationUrl: url.href, expiresAt }
}
