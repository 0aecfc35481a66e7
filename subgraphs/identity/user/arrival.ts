import { writeChanges } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shownUpdate } from './shown-update.ts'
import { userChanges } from './user.events.ts'
import { updateUserRow } from './user-rows.ts'
import { findStoredUser } from './user.ts'

/**
 * The caller, whom somebody else added, has come itself: from then on the organization is told the time zone, the locale and
 * whether the address is verified. In a transaction.
 */
export async function noteArrival(ctx: RequestContext): Promise<void> {
  const { organizationId, userId } = ctx.caller
  const previous = await findStoredUser(ctx.db, organizationId, userId)
  if (!previous || previous.hasJoined) return
  const next = { ...previous, hasJoined: true, updatedAt: ctx.clock.now().toISOString() }
  const row = updateUserRow(next, { has_joined: true, updated_at: next.updatedAt }, 'not has_joined')
  await writeChanges(ctx, userChanges, shownUpdate(ctx, previous, next), row)
}
