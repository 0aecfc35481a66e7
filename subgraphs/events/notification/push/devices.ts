import type { Sql } from '../../../kernel/database/sql.ts'

/** Those of the users who have a device that takes push messages. */
export async function usersWithDevices(
  sql: Sql,
  organizationId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ userId: string }>(
    `select distinct user_id as "userId" from events.push_subscription where organization_id = $1 and user_id = any($2::uuid[])`,
    [organizationId, userIds],
  )
  return new Set(rows.map(({ userId }) => userId))
}
