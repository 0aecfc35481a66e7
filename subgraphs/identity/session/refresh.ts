import { Refusal } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { findUser, type User } from '../user/user.ts'
import { graceMs, isRefreshToken, refreshTokenHash, sessionLifeMs } from './refresh-token.ts'
import { actingAs, endSessions, issueRefreshToken, signedIn } from './session.actions.ts'
import type { SignedIn } from './session.ts'

interface PresentedToken {
  readonly id: string
  readonly usedAt: string | null
  readonly sessionId: string
  readonly organizationId: string
  readonly userId: string
  readonly expiresAt: string
  readonly endedAt: string | null
  readonly isSuspended: boolean
}

const invalidToken = () => new Refusal('UNAUTHENTICATED', 'The refresh token is not valid. Sign in again.')

/**
 * Exchanges a refresh token for the next one of its family.
 *
 * A token that is reused within the grace period comes from concurrent requests of one client and gets another new token. A later
 * reuse means that two parties have the token. It is unknown which one is legitimate, so the whole family ends.
 */
export async function refresh(ctx: IdentityContext, token: string | null | undefined): Promise<SignedIn> {
  if (!token) throw new Refusal('UNAUTHENTICATED', 'Send the refresh token in the body or as a cookie.')
  if (!isRefreshToken(token)) throw invalidToken()
  // The refusal is returned instead of thrown, so that the transaction commits the end of the family.
  const outcome = await inTransaction(ctx, (inner) => rotate(inner, refreshTokenHash(token)))
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

async function rotate(ctx: IdentityContext, hash: string): Promise<SignedIn | Refusal> {
  const found = await lockToken(ctx, hash)
  if (!found || found.endedAt) return invalidToken()
  const now = ctx.clock.now()
  if (Date.parse(found.expiresAt) <= now.getTime()) return invalidToken()
  const user = await findUser(ctx.db, found.organizationId, found.userId)
  if (!user?.isActive) return invalidToken()
  const inner = actingAs(ctx, user)
  if (found.usedAt && now.getTime() - Date.parse(found.usedAt) > graceMs) {
    await endSessions(inner, { id: found.sessionId }, 'REFRESH_TOKEN_REUSED')
    return invalidToken()
  }
  if (found.isSuspended) return new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  await storeUse(inner, found, now)
  return signedIn(inner, user as User, {
    sessionId: found.sessionId,
    refreshToken: await issueRefreshToken(inner, found.sessionId),
  })
}

/** The token and its session, both locked: concurrent requests with tokens of the family wait until this transaction ends. */
async function lockToken(ctx: IdentityContext, hash: string): Promise<PresentedToken | undefined> {
  const [found] = await ctx.db.query<PresentedToken>(
    `select t.id, t.used_at as "usedAt", s.id as "sessionId", s.organization_id as "organizationId", s.user_id as "userId",
       s.expires_at as "expiresAt", s.ended_at as "endedAt", o.status = 'SUSPENDED' as "isSuspended"
     from identity.refresh_token t
     join identity.session s on s.organization_id = t.organization_id and s.id = t.session_id
     join identity.organization o on o.id = s.organization_id
     where t.token_hash = $1
     for update of t, s`,
    [hash],
  )
  return found
}

/** Stores the first use only: a reuse does not extend the grace period. */
async function storeUse(ctx: IdentityContext, { id, sessionId }: PresentedToken, now: Date): Promise<void> {
  const { organizationId } = ctx.caller
  await ctx.db.query(
    'update identity.refresh_token set used_at = coalesce(used_at, $3) where organization_id = $1 and id = $2',
    [organizationId, id, now.toISOString()],
  )
  await ctx.db.query(
    'update identity.session set last_used_at = $3, expires_at = $4 where organization_id = $1 and id = $2',
    [organizationId, sessionId, now.toISOString(), new Date(now.getTime() + sessionLifeMs).toISOString()],
  )
}
