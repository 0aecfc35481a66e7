import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { readPage, type Page } from '../../kernel/record/list.ts'
import { readOne } from '../../kernel/record/read.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { NotificationListArgs } from './notification.inputs.ts'
import { allNotificationColumns, notification, ownOnly } from './notification.record.ts'

const pageSizeMax = 100

/** The caller's notifications that are in the list, newest first. */
export async function listNotifications(
  ctx: RequestContext,
  { unreadOnly, page, pageSize, cursor = null }: NotificationListArgs,
  info: SelectionInfo,
): Promise<Page & { unreadCount?: number }> {
  if (pageSize < 1 || pageSize > pageSizeMax)
    throw invalid({
      path: 'pageSize',
      code: 'OUT_OF_RANGE',
      message: `pageSize must be between 1 and ${pageSizeMax}.`,
    })
  const filter = { inApp: { eq: 'SENT' }, ...(unreadOnly && { readAt: { isNull: true } }) }
  const orderBy = [{ field: 'createdAt', direction: 'DESC' }]
  const selected = {
    page: selectedFields(info),
    record: allNotificationColumns,
    total: isAnySelected(info, 'total', 'totalPages'),
  }
  const [found, unread] = await Promise.all([
    readPage(ownOnly(ctx), notification, { filter, orderBy, page, limit: pageSize, cursor }, selected),
    isAnySelected(info, 'unreadCount') ? unreadCount(ctx) : undefined,
  ])
  return { ...found, ...(unread !== undefined && { unreadCount: unread }) }
}

export async function unreadCount({ db, caller }: RequestContext): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) from events.notification
     where organization_id = $1 and user_id = $2 and in_app = 'SENT' and read_at is null`,
    [caller.organizationId, caller.userId],
  )
  return row!.count
}

/** Marks a notification as read. A second call changes nothing. */
export async function readNotification(ctx: RequestContext, id: string) {
  const { db, caller, clock } = ctx
  if (isId(id))
    await db.query(
      `update events.notification set read_at = $4
       where organization_id = $1 and user_id = $2 and id = $3 and in_app = 'SENT' and read_at is null`,
      [caller.organizationId, caller.userId, id, clock.now().toISOString()],
      'WRITE',
    )
  const row = await readOne(ownOnly(ctx), notification, id, allNotificationColumns)
  if (row?.['inApp'] !== 'SENT') throw notFound('The notification')
  return row
}

/** Marks all notifications as read that exist at this moment, and returns how many were unread. */
export async function readAllNotifications({ db, caller, clock }: RequestContext): Promise<number> {
  const rows = await db.query(
    `update events.notification set read_at = $3
     where organization_id = $1 and user_id = $2 and in_app = 'SENT' and read_at is null returning 1`,
    [caller.organizationId, caller.userId, clock.now().toISOString()],
    'WRITE',
  )
  return rows.length
}

export async function deleteNotification({ db, caller }: RequestContext, id: string): Promise<string> {
  const rows = isId(id)
    ? await db.query(
        `delete from events.notification
         where organization_id = $1 and user_id = $2 and id = $3 and in_app = 'SENT' returning 1`,
        [caller.organizationId, caller.userId, id],
        'WRITE',
      )
    : []
  if (rows.length === 0) throw notFound('The notification')
  return id.toLowerCase()
}
