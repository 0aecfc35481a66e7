import { changedFieldsOf } from '../../kernel/record/record-events.ts'
import { announceChange } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { userChanges } from './user.events.ts'
import type { User } from './user.ts'

/**
 * Appends the event and the audit entry of a change of a user or its person in this transaction. Appends neither when the organization
 * sees no difference. `action` as in `Change`.
 */
export async function announceUserUpdate(
  ctx: RequestContext,
  previous: User,
  next: User,
  action?: null,
): Promise<void> {
  const changedFields = changedFieldsOf(userChanges, previous, next)
  if (changedFields.length === 0) return
  await announceChange(ctx, userChanges, { operation: 'UPDATE', previous, next, changedFields, action })
}
