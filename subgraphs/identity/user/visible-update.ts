import type { RequestContext } from '../../kernel/request.ts'
import { changedFieldsOf } from '../../kernel/record/record-events.ts'
import type { ChangeInOrganization } from '../../kernel/record/write-change.ts'
import { userChanges } from './user.events.ts'
import type { StoredUser } from './user.ts'

/** The update of a user for `writeChanges`; none when the organization sees no difference. */
export const visibleUpdate = (
  ctx: RequestContext,
  previous: StoredUser,
  next: StoredUser,
): ChangeInOrganization<StoredUser>[] =>
  changedFieldsOf(userChanges, previous, next).length === 0
    ? []
    : [{ ctx, change: { operation: 'UPDATE', previous, next } }]
