import type { Sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'

interface ToPush {
  readonly row: { readonly id: string; readonly user_id: string }
  readonly pushDueAt: Date | null
}

/** Queues a message to each device of the users, in the transaction that creates the notifications. */
export async function queuePushes(sql: Sql, organizationId: string, drafts: readonly ToPush[]): Promise<void> {
  if (drafts.length === 0) return
  const userIds = [...new Set(drafts.map(({ row }) => row.user_id))]
  const devices = await sql.query<{ id: string; userId: string }>(
    `select id, user_id as "userId" from events.push_subscription where organization_id = $1 and user_id = any($2::uuid[])`,
    [organizationId, userIds],
  )
  const messages = drafts.flatMap(({ row, pushDueAt }) =>
    devices
      .filter(({ userId }) => userId === row.user_id)
      .map(({ id: subscription_id }) => ({
        id: newId(),
        subscription_id,
        notification_id: row.id,
        due: pushDueAt?.toISOString() ?? null,
      })),
  )
  await sql.query(
    `insert into events.push_message (organization_id, id, subscription_id, notification_id, next_attempt_at, is_due)
     select $1, id, subscription_id, notification_id, coalesce(due, date_trunc('milliseconds', clock_timestamp())), due is null
     from jsonb_to_recordset($2::jsonb) as m(id uuid, subscription_id uuid, notification_id uuid, due timestamptz)`,
    [organizationId, JSON.stringify(messages)],
  )
}
