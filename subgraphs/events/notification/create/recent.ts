import type { Sql } from '../../../kernel/database/sql.ts'

/** Beyond this many notifications of one kind in an hour, a user gets one that stands for all further ones. */
export const singlesMax = 20

/** What a user got in the last hour. */
export interface Recent {
  singleMails: number
  pushes: number
  /** Notifications by event key. */
  readonly byKey: Map<string, number>
  /** The unread notification that stands for further ones, by event key. */
  readonly collectiveByKey: Map<string, string>
}

const noRecent = (): Recent => ({ singleMails: 0, pushes: 0, byKey: new Map(), collectiveByKey: new Map() })

/** What these users got since a time. */
export async function recentOf(
  sql: Sql,
  organizationId: string,
  userIds: readonly string[],
  since: Date,
): Promise<Map<string, Recent>> {
  const rows = await sql.query<{
    userId: string
    eventKey: string
    singles: number
    mails: number
    pushes: number
    collective: string | null
  }>(
    `select user_id as "userId", event_key as "eventKey", count(*) filter (where count = 1) as singles,
       count(*) filter (where email = 'SENT') as mails, count(*) filter (where push in ('PENDING', 'SENT')) as pushes,
       (array_agg(id order by id desc) filter (where count > 1 and read_at is null))[1]::text as collective
     from events.notification
     where organization_id = $1 and user_id = any($2::uuid[]) and created_at > $3
     group by user_id, event_key`,
    [organizationId, userIds, since.toISOString()],
  )
  const byUser = new Map(userIds.map((id) => [id, noRecent()]))
  for (const { userId, eventKey, singles, mails, pushes, collective } of rows) {
    const recent = byUser.get(userId)!
    recent.singleMails += mails
    recent.pushes += pushes
    recent.byKey.set(eventKey, singles)
    if (collective !== null) recent.collectiveByKey.set(eventKey, collective)
  }
  return byUser
}
