import type { RequestContext } from '../../kernel/request.ts'
import { announceUserUpdate } from './announce-user.ts'
import { findUserSeenByOrganization } from './user.ts'

/**
 * Stores that the caller, whom somebody else added, has joined. From then on the organization sees the time zone, the locale and
 * whether the address is verified. Must run in a transaction.
 */
export async function markJoined(ctx: RequestContext): Promise<void> {
  const { organizationId, userId } = ctx.caller
  const arrived = await ctx.db.query(
    `update identity.app_user set has_joined = true, updated_at = $3
     where organization_id = $1 and id = $2 and not has_joined returning id`,
    [organizationId, userId, ctx.clock.now().toISOString()],
  )
  if (arrived.length === 0) return
  const record = (await findUserSeenByOrganization(ctx.db, organizationId, userId))!
  const previous = { ...record, emailVerified: false, timezone: 'UTC', locale: 'en' }
  await announceUserUpdate(ctx, previous, record)
}
