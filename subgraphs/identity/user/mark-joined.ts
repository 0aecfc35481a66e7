import { writeChanges } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { visibleUpdate } from './visible-update.ts'
import { userChanges } from './user.events.ts'
import { updateUserRow } from './user-rows.ts'
import { findStoredUser } from './user.ts'

/**
 * Stores that the caller, whom somebody else added, has joined. From then on the organization sees the time zone, the locale and
 * whether the address is verified. Must run in a transaction.
 */
export async function markJoined(ctx: RequestContext): Promise<void> {
  const { organizationId, userId } = ctx.caller
  const previous = await findStoredUser(ctx.db, organizationId, userId)
  if (!previous || previous.hasJoined) return
  const next = { ...previous, hasJoined: true, updatedAt: ctx.clock.now().toISOString() }
  const row = updateUserRow(next, { has_joined: true, updated_at: next.updatedAt }, 'not has_joined')
  await writeChanges(ctx, userChanges, visibleUpdate(ctx, previous, next), row)
}
