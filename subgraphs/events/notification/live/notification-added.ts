import { Field, Int, ObjectType } from 'type-graphql'
import { invalid } from '../../../kernel/errors.ts'
import { readOne } from '../../../kernel/record/read.ts'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { unreadCount } from '../notification.actions.ts'
import { allNotificationColumns, notification, ownOnly } from '../notification.record.ts'
import { Notification, notificationScope } from '../notification.ts'

@ObjectType({ description: 'A notification that was added, and how many the caller has not read.' })
@RequiresScopes(notificationScope)
export class NotificationAdded {
  @Field(() => Notification, { simple: true, description: 'What was added, as in the list of the caller.' })
  notification!: Notification

  @Field(() => Int, { simple: true, description: 'Number of unread notifications at the time of delivery.' })
  unreadCount!: number

  @Field(() => String, {
    simple: true,
    description: 'Position of the notification. Send the last received cursor as `after` to continue after it.',
  })
  cursor!: string
}

/** Cursors of one read. */
const cursorsMax = 20

function sequenceOf(path: string, cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalid({ path, code: 'WRONG_FORMAT', message: `${path} must be the cursor of a NotificationAdded.` })
}

/** The cursors of the next notifications in the list after this one, oldest first. Without `after`: the latest one, if there is one. */
export async function notificationCursors({ db, caller }: RequestContext, after: string | null): Promise<string[]> {
  const own = [caller.organizationId, caller.userId]
  const listed = `from events.notification where organization_id = $1 and user_id = $2 and in_app = 'SENT'`
  const rows =
    after === null
      ? await db.query<{ sequence: number }>(`select sequence ${listed} order by sequence desc limit 1`, own)
      : await db.query<{ sequence: number }>(
          `select sequence ${listed} and sequence > $3 order by sequence limit ${cursorsMax}`,
          [...own, sequenceOf('after', after)],
        )
  return rows.map(({ sequence }) => String(sequence))
}

/** Null if the notification was deleted in the meantime, or is in the list of another user. */
export async function notificationAt(ctx: RequestContext, cursor: string): Promise<NotificationAdded | null> {
  const { db, caller } = ctx
  const [row] = await db.query<{ id: string }>(
    `select id from events.notification where organization_id = $1 and user_id = $2 and sequence = $3 and in_app = 'SENT'`,
    [caller.organizationId, caller.userId, sequenceOf('cursor', cursor)],
  )
  if (!row) return null
  const [found, unread] = await Promise.all([
    readOne(ownOnly(ctx), notification, row.id, allNotificationColumns),
    unreadCount(ctx),
  ])
  return found && { notification: found as unknown as Notification, unreadCount: unread, cursor }
}
