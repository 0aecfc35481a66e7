import { changedFieldsOf } from '../../kernel/record/record-events.ts'
import { announceChange } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { userChanges } from './user.events.ts'
import type { User } from './user.ts'

/**
 * The event, and the entry in the audit log, of what the transaction has changed of a user and the person that it is; none
 * when the organization is told of nothing else. `action` as in `Change`.
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
