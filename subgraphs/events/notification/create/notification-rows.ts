import type { Sql } from '../../../kernel/database/sql.ts'
import type { NotificationKind } from '../catalog/notification-kind.ts'
import type { Draft } from './draft.ts'

/** Notifications of a user beyond this number are deleted, oldest first. */
export const notificationsMax = 1_000
/** Older notifications are deleted. */
export const keptDays = 90

/** The channel on which processes hear of new notifications: an organization, and ids of users, with commas between them. */
export const notificationsChannel = 'notifications'
/** A payload of NOTIFY has less than 8,000 bytes. */
const idsPerNotice = 200

/** Returns those that did not exist yet: an event notifies a user once. */
export async function insertNotifications(
  sql: Sql,
  organizationId: string,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  if (drafts.length === 0) return []
  const rows = await sql.query<{ id: string }>(
    `insert into events.notification (organization_id, id, user_id, event_key, category, title, body, subject, priority, entity_type,
       entity_id, action_url, actor_id, group_key, count, event_id, in_app, email, email_due_at, push, created_at)
     select $1, id, user_id, event_key, category, title, body, subject, priority, entity_type, entity_id, action_url, actor_id,
       group_key, count, event_id, in_app, email, email_due_at, push, created_at
     from jsonb_to_recordset($2::jsonb) as n(
       id uuid, user_id uuid, event_key text, category text, title text, body text, subject text, priority text, entity_type text,
       entity_id uuid, action_url text, actor_id uuid, group_key text, count int, event_id uuid, in_app text, email text,
       email_due_at timestamptz, push text, created_at timestamptz
     )
     on conflict do nothing returning id`,
    [organizationId, JSON.stringify(drafts.map(({ row }) => row))],
  )
  const inserted = new Set(rows.map(({ id }) => id))
  return drafts.filter(({ row }) => inserted.has(row.id))
}

/** False if the notification has been read or deleted in the meantime. */
export async function raiseCollective(
  sql: Sql,
  organizationId: string,
  id: string,
  { title }: NotificationKind,
  count: number,
): Promise<boolean> {
  const rows = await sql.query(
    `update events.notification set count = count + $3, title = $4 || ' (' || (count + $3) || ' more)'
     where organization_id = $1 and id = $2 and read_at is null returning 1`,
    [organizationId, id, count, title],
  )
  return rows.length > 0
}

/** Keeps the newest notifications of each of these users. */
export async function removeOldest(sql: Sql, organizationId: string, userIds: readonly string[]): Promise<void> {
  await sql.query(
    `delete from events.notification n using unnest($2::uuid[]) as u (id), lateral (
       select created_at, id from events.notification
       where organization_id = $1 and user_id = u.id
       order by created_at desc, id desc offset ${notificationsMax} limit 1
     ) last
     where n.organization_id = $1 and n.user_id = u.id and (n.created_at, n.id) <= (last.created_at, last.id)`,
    [organizationId, userIds],
  )
}

/** Tells all processes, after the commit, which users have new notifications. */
export async function announce(sql: Sql, organizationId: string, userIds: readonly string[]): Promise<void> {
  for (let at = 0; at < userIds.length; at += idsPerNotice)
    await sql.query('select pg_notify($1, $2)', [
      notificationsChannel,
      [organizationId, ...userIds.slice(at, at + idsPerNotice)].join(','),
    ])
}
