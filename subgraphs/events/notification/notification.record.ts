import type { RecordShape } from '../../kernel/record/definition.ts'
import { Columns } from '../../kernel/record/columns.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Notification } from './notification.ts'

/** Notifications have no events of their own: they follow from events, and belong to one user. */
export const notification: RecordShape = {
  entity: Notification,
  columns: Columns.of(Notification),
  object: 'notification',
  table: 'events.notification',
  visibleBy: ['userId'],
  searchable: [],
}

export const allNotificationColumns = allColumnNames(notification)

/** The context in which only the notifications of the caller are visible, also for owners and admins. */
export const ownOnly = <C extends RequestContext>(ctx: C): C => ({
  ...ctx,
  caller: { ...ctx.caller, visibility: 'OWN', ownerIds: [ctx.caller.userId] },
})
