import { recipientsOf } from '../../../identity/public.ts'
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

interface MailsOf {
  readonly organizationId: string
  readonly userId: string
  readonly categories: readonly string[]
}

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

export async function readPreferences(ctx: RequestContext): Promise<NotificationPreferences> {
  const { db, caller } = ctx
  const stored = await preferencesOf(db, caller.organizationId, [caller.userId])
  return shownPreferences(ctx, stored.get(caller.userId) ?? {})
}

async function shownPreferences(
  { db, caller }: RequestContext,
  stored: StoredPreferences,
): Promise<NotificationPreferences> {
  const [recipient] = await recipientsOf(db, caller.organizationId, [caller.userId])
  return {
    ...completePreferences(stored),
    emailSuppressedBy: recipient?.email == null ? 'ADDRESS_NOT_VERIFIED' : null,
  }
}

/** Turns off the mails of categories for one user, and leaves everything else as it is. False if the user does not exist. */
export async function turnOffMails(
  sql: Sql,
  { organizationId, userId, categories }: MailsOf,
  now: Date,
): Promise<boolean> {
  const off = JSON.stringify(Object.fromEntries(categories.map((name) => [name, false])))
  const rows = await sql.query(
    `insert into events.notification_preference as p (organization_id, user_id, preferences, updated_at)
     select organization_id, id, jsonb_build_object('emailCategories', $3::jsonb), $4 from identity.app_user
     where organization_id = $1 and id = $2
     on conflict (organization_id, user_id) do update set updated_at = excluded.updated_at, preferences = p.preferences
       || jsonb_build_object('emailCategories', coalesce(p.preferences -> 'emailCategories', '{}') || $3::jsonb)
     returning 1`,
    [organizationId, userId, off, now.toISOString()],
  )
  return rows.length > 0
}

/** Concurrent changes are made one after the other, so that none is lost. */
export function setPreferences(
  ctx: RequestContext,
  input: NotificationPreferencesInput,
): Promise<NotificationPreferences> {
  const problems = preferenceProblems(input)
  if (problems.length > 0) throw invalid(...problems)
  return inTransaction(ctx, async (inner) => {
    const { db, caller, clock } = inner
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
    return shownPreferences(inner, next)
  })
}
