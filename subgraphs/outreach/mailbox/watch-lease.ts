import type { Sql } from '../../kernel/database/sql.ts'
import { databaseLocks } from '../../kernel/database/locks.ts'

/** Mailboxes of one organization that are watched, in all processes together. */
export const perOrganizationMax = 10
const leaseSeconds = 60

export interface Watched {
  readonly organizationId: string
  readonly id: string
  readonly version: number
}

const isWatchable = `box.deleted_at is null and box.is_enabled and box.imap_host is not null`

/** Leases up to `count` mailboxes that were read without an error and that no process watches. */
export function leaseWatches(database: Sql, token: string, count: number): Promise<Watched[]> {
  return database.transaction(async (sql) => {
    // Processes take leases one after the other, so that the limit of an organization holds.
    await sql.query('select pg_advisory_xact_lock($1)', [databaseLocks.mailboxWatches])
    return sql.query<Watched>(
      `with watched as (
         select organization_id, count(*) as n from outreach.mailbox_state
         where watch_token is not null and watched_until > clock_timestamp() group by 1
       ), free as (
         select state.organization_id, state.id, box.version, coalesce(watched.n, 0) + row_number() over (
           partition by state.organization_id order by state.watched_until nulls first, state.id) as place
         from outreach.mailbox_state state
         join outreach.mailbox box using (organization_id, id)
         left join watched using (organization_id)
         where ${isWatchable} and state.failures = 0 and state.uid_validity is not null
           and (state.watched_until is null or state.watched_until <= clock_timestamp())
       ), taken as (
         select * from free where place <= $3 order by place limit $2
       )
       update outreach.mailbox_state state
       set watch_token = $1, watched_until = clock_timestamp() + interval '${leaseSeconds} seconds'
       from taken where state.organization_id = taken.organization_id and state.id = taken.id
       returning state.organization_id as "organizationId", state.id, taken.version`,
      [token, count, perOrganizationMax],
    )
  })
}

/** Extends the leases; those of mailboxes that were changed, turned off or deleted are not among the result. */
export const renewWatches = (database: Sql, token: string): Promise<Watched[]> =>
  database.query<Watched>(
    `update outreach.mailbox_state state set watched_until = clock_timestamp() + interval '${leaseSeconds} seconds'
     from outreach.mailbox box
     where state.watch_token = $1 and box.organization_id = state.organization_id and box.id = state.id and ${isWatchable}
     returning state.organization_id as "organizationId", state.id, box.version`,
    [token],
  )

/** Ends a lease. Nobody watches the mailbox again before `seconds` have passed. */
export async function endWatch(database: Sql, token: string, { id }: Watched, seconds: number): Promise<void> {
  await database.query(
    `update outreach.mailbox_state set watch_token = null, watched_until = clock_timestamp() + $3 * interval '1 second'
     where watch_token = $1 and id = $2`,
    [token, id, seconds],
  )
}
