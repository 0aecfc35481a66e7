import { newCsrfToken, sessionTokenSeconds, signSessionToken } from '../../kernel/credentials/public.ts'
import { newId } from '../../kernel/ids.ts'
import { notFound } from '../../kernel/errors.ts'
import type { IdentityContext } from '../context.ts'
import { insertRow, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { findOrganization, hideCodeUnlessAdministrator } from '../organization/organization.ts'
import { markJoined } from '../user/mark-joined.ts'
import type { User } from '../user/user.ts'
import { newDeviceToken } from './device-token.ts'
import { newRefreshToken, refreshTokenHash, sessionLifeMs } from './refresh-token.ts'
import { sessionChanges } from './session.events.ts'
import type { SignedIn } from './session.ts'

type Member = Pick<User, 'id' | 'organizationId' | 'role' | 'visibility'>

/** The same request with the given user as its caller. */
export function actingAs(
  ctx: IdentityContext,
  { id: userId, organizationId, role, visibility }: Member,
): IdentityContext {
  const { ip, userAgent } = ctx.caller
  const caller = { kind: 'SESSION', organizationId, userId, role, visibility, ownerIds: [userId], scopes: [] } as const
  return { ...ctx, caller: { ...caller, fields: null, entitlements: [], credentialId: '', ip, userAgent } }
}

/**
 * Starts a session (a family of refresh tokens) with its first token. Must run in a transaction, with the user as the caller. The user is told
 * of a sign-in in an unfamiliar place, unless the device is known.
 */
export async function startSession(
  ctx: IdentityContext,
  { isKnownDevice = false } = {},
): Promise<{ sessionId: string; refreshToken: string }> {
  const { organizationId, userId, ip, userAgent } = ctx.caller
  const now = ctx.clock.now()
  const sessionId = newId()
  const [createdAt, expiresAt] = [now.toISOString(), new Date(now.getTime() + sessionLifeMs).toISOString()]
  const isUnfamiliar = !isKnownDevice && (await isUnfamiliarPlace(ctx, now))
  const next = { id: sessionId, organizationId, userId, ip, userAgent, createdAt, isUnfamiliar }
  await writeChange(ctx, sessionChanges, { operation: 'CREATE', previous: null, next }, (values) =>
    insertRow(values, 'identity.session', {
      organization_id: organizationId,
      id: sessionId,
      user_id: userId,
      ip,
      user_agent: userAgent,
      created_at: createdAt,
      last_used_at: createdAt,
      expires_at: expiresAt,
    }),
  )
  await markJoined(ctx)
  return { sessionId, refreshToken: await issueRefreshToken(ctx, sessionId) }
}

const familiarForMs = 30 * 86_400_000
/** Sessions that are compared, the newest ones. */
const comparedMax = 1_000

/** Whether the user had sessions, but none with this address and this program. */
async function isUnfamiliarPlace({ db, caller }: IdentityContext, now: Date): Promise<boolean> {
  const [row] = await db.query<{ isUnfamiliar: boolean }>(
    `select count(*) > 0 and not coalesce(bool_or(ip = $3 and user_agent = $4), false) as "isUnfamiliar" from (
       select ip, user_agent from identity.session
       where organization_id = $1 and user_id = $2 and created_at > $5 order by created_at desc limit ${comparedMax}
     ) s`,
    [caller.organizationId, caller.userId, caller.ip, caller.userAgent, new Date(now.getTime() - familiarForMs)],
  )
  return row!.isUnfamiliar
}

/** Issues another refresh token of the session. */
export async function issueRefreshToken(ctx: IdentityContext, sessionId: string): Promise<string> {
  const token = newRefreshToken()
  await ctx.db.query(
    `insert into identity.refresh_token (organization_id, id, session_id, token_hash, created_at)
     values ($1, $2, $3, $4, $5)`,
    [ctx.caller.organizationId, newId(), sessionId, refreshTokenHash(token), ctx.clock.now().toISOString()],
  )
  return token
}

interface Tokens {
  readonly sessionId: string
  readonly refreshToken: string
}

/** The answer to a sign-in or a refresh. */
export async function signedIn(
  ctx: IdentityContext,
  user: User,
  { sessionId, refreshToken }: Tokens,
): Promise<SignedIn> {
  const organization = await findOrganization(ctx.db, user.organizationId)
  if (!organization) throw notFound('The organization')
  const claims = { sessionId, userId: user.id, organizationId: user.organizationId }
  return {
    accessToken: await signSessionToken(claims, ctx.keys.signing, ctx.clock.now()),
    tokenType: 'Bearer',
    expiresIn: sessionTokenSeconds,
    refreshToken,
    csrfToken: newCsrfToken(ctx.keys.encryption, sessionId),
    deviceToken: newDeviceToken(ctx, user.email),
    user,
    organization: hideCodeUnlessAdministrator(user.role, organization),
  }
}

export type EndReason =
  | 'LOGGED_OUT'
  | 'LOGGED_OUT_EVERYWHERE'
  | 'PASSWORD_CHANGED'
  | 'REFRESH_TOKEN_REUSED'
  | 'USER_DEACTIVATED'
  | 'USER_REMOVED'
  | 'USER_RENAMED'

/**
 * Ends active sessions of the caller's organization, one by id or all of a user, and returns their number. Their tokens stop working
 * with the commit.
 */
export async function endSessions(
  ctx: IdentityContext,
  which: { readonly id: string } | { readonly userId: string },
  reason: EndReason,
): Promise<number> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['user_id', which.userId]
  const { organizationId } = ctx.caller
  const endedAt = ctx.clock.now().toISOString()
  const live = await ctx.db.query<{ id: string; userId: string }>(
    `select id, user_id as "userId" from identity.session
     where organization_id = $1 and ${column} = $2 and ended_at is null order by id for no key update`,
    [organizationId, value],
  )
  for (const { id, userId } of live) {
    const next = { id, organizationId, userId, endedAt, reason }
    await writeChange(ctx, sessionChanges, { operation: 'DELETE', previous: null, next }, (values) =>
      updateRow(
        values,
        'identity.session',
        { ended_at: endedAt, ended_reason: reason },
        { organization_id: organizationId, id },
      ),
    )
  }
  return live.length
}
