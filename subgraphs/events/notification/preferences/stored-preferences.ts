import type { Sql } from '../../../kernel/database/sql.ts'
import { invalid } from '../../../kernel/errors.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import type { NotificationPreferences, NotificationPreferencesInput } from './preferences.ts'
import {
  changedPreferences,
  completePreferences,
  preferenceProblems,
  type StoredPreferences,
} from './preferences.rules.ts'

/** What these users have set, by user. Users who have set nothing are absent. */
export async function preferencesOf(
  sql: Sql,
  organizationId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, StoredPreferences>> {
  const rows = await sql.query<{ userId: string; preferences: StoredPreferences }>(
    `select user_id as "userId", preferences from events.notification_preference
     where organization_id = $1 and user_id = any($2::uuid[])`,
    [organizationId, userIds],
  )
  return new Map(rows.map(({ userId, preferences }) => [userId, preferences]))
}

export async function readPreferences({ db, caller }: RequestContext): Promise<NotificationPreferences> {
  const stored = await preferencesOf(db, caller.organizationId, [caller.userId])
  return completePreferences(stored.get(caller.userId) ?? {})
}

/** Concurrent changes are made one after the other, so that none is lost. */
export function setPreferences(
  ctx: RequestContext,
  input: NotificationPreferencesInput,
): Promise<NotificationPreferences> {
  const problems = preferenceProblems(input)
  if (problems.length > 0) throw invalid(...problems)
  return inTransaction(ctx, async ({ db, caller, clock }) => {
    const key = [caller.organizationId, caller.userId]
    await db.query(
      `insert into events.notification_preference (organization_id, user_id, preferences, updated_at)
       values ($1, $2, '{}', $3) on conflict do nothing`,
      [...key, clock.now().toISOString()],
    )
    const [row] = await db.query<{ preferences: StoredPreferences }>(
      'select preferences from events.notification_preference where organization_id = $1 and user_id = $2 for update',
      key,
    )
    const next = changedPreferences(row!.preferences, input)
    await db.query(
      'update events.notification_preference set preferences = $3, updated_at = $4 where organization_id = $1 and user_id = $2',
      [...key, JSON.stringify(next), clock.now().toISOString()],
    )
    return completePreferences(next)
  })
}
