import type { Sql } from '../database/sql.ts'
import type { Lane, Outcome, Queue, QueuedItem, Shares } from './queue.ts'

/** The organization whose item this process leased last: round robin continues with the organization after it. */
export interface LastServed {
  organization: string
}

export const noOrganization = '00000000-0000-0000-0000-000000000000'

/** An item, with its organization if the queue has `shares`. */
type Leased<Item> = Item & { readonly organization?: string }

const waitingIn: Readonly<Record<Lane, string>> = {
  fresh: `state = 'QUEUED' and attempts = 0`,
  retry: `state = 'QUEUED' and attempts > 0`,
}
// All processes use the clock of the database. `statement_timestamp()` is constant during a statement, so that indexes can be used.
const due = 'next_attempt_at <= statement_timestamp()'

/** Leases the next due item for `leaseMs`. */
export async function leaseNext<Item extends QueuedItem>(
  database: Sql,
  queue: Queue<Item>,
  lane: Lane,
  token: string,
  lastServed: LastServed,
): Promise<Leased<Item> | undefined> {
  const { shares } = queue
  if (!shares) {
    const oldest = `select id from ${queue.table} where ${waitingIn[lane]} and ${due} order by next_attempt_at limit 1 for update skip locked`
    const [item] = await database.query<Item>(leaseSql(queue, `id = (${oldest})`), [token, queue.leaseMs])
    return item
  }
  return database.transaction(async (sql) => {
    // Processes lease one after another, so that each of them counts the leases of all others.
    await sql.query('select pg_advisory_xact_lock(hashtextextended($1, 12))', [queue.table])
    const [item] = await sql.query<Leased<Item>>(sharedLeaseSql(queue, shares, lane), [
      token,
      queue.leaseMs,
      shares.perKeyMax,
      lastServed.organization,
    ])
    if (item) lastServed.organization = item.organization!
    return item
  })
}

const leaseSql = ({ table, columns }: Pick<Queue, 'table' | 'columns'>, which: string): string =>
  `update ${table} set lease_token = $1, attempts = attempts + 1,
     next_attempt_at = statement_timestamp() + $2 * interval '1 millisecond'
   where ${which}
   returning id, attempts, ${columns}`

/**
 * Leases the oldest item of a key with fewer than `perKeyMax` running attempts, from the organization with the fewest running
 * attempts; if several have the fewest, from the next one in round robin. The search jumps from key to key along the index, so its
 * cost depends on the number of waiting keys, not of waiting items.
 */
function sharedLeaseSql({ table, columns }: Queue, { organization, key }: Shares, lane: Lane): string {
  const pair = `${organization} as organization, ${key} as key`
  const waiting = waitingIn[lane]
  const which = `(${organization}, id) = (
      select next.organization, next.id from next
      join ${table} item on item.${organization} = next.organization and item.id = next.id
      order by (select coalesce(sum(running), 0) from leased where leased.organization = next.organization),
        next.organization <= $4, next.organization, next.next_attempt_at
      limit 1 for update of item skip locked
    )`
  return `with recursive keys as (
      (select ${pair} from ${table} where ${waiting} order by ${organization}, ${key} limit 1)
      union all
      select following.* from keys cross join lateral (
        select ${pair} from ${table} where ${waiting} and (${organization}, ${key}) > (keys.organization, keys.key)
        order by ${organization}, ${key} limit 1
      ) following
    ), leased as (
      select ${pair}, count(*) as running from ${table}
      where lease_token is not null and next_attempt_at > statement_timestamp() group by 1, 2
    ), next as (
      select keys.organization, oldest.* from keys
      left join leased on leased.organization = keys.organization and leased.key = keys.key
      cross join lateral (
        select id, next_attempt_at from ${table}
        where ${organization} = keys.organization and ${key} = keys.key and ${waiting} and ${due}
        order by next_attempt_at limit 1
      ) oldest
      where coalesce(leased.running, 0) < $3
    )
    ${leaseSql({ table, columns }, which)}, ${organization} as organization`
}

/** Records the outcome of an attempt. False, and nothing is changed, when another attempt has the lease by then. */
export async function recordOutcome(
  database: Sql,
  { table, shares, clearedColumns = [] }: Pick<Queue, 'table' | 'shares' | 'clearedColumns'>,
  { id, organization }: Leased<QueuedItem>,
  token: string,
  outcome: Outcome,
  retryAfterMs: number,
): Promise<boolean> {
  const values: unknown[] = [id, token]
  const ended = 'end' in outcome
  const sets = [
    'lease_token = null',
    `last_error = $${values.push((ended ? outcome.error : outcome.retry) ?? null)}`,
    ...(ended
      ? [
          `state = $${values.push(outcome.end)}`,
          'finished_at = statement_timestamp()',
          ...clearedColumns.map((column) => `${column} = null`),
        ]
      : [`next_attempt_at = statement_timestamp() + $${values.push(retryAfterMs)} * interval '1 millisecond'`]),
    ...Object.entries(outcome.result ?? {}).map(([column, value]) => `${column} = $${values.push(value)}`),
  ]
  const settled = await database.query(
    `update ${table} set ${sets.join(', ')} where ${shares ? `${shares.organization} = $${values.push(organization)} and ` : ''}id = $1 and lease_token = $2 returning 1`,
    values,
  )
  return settled.length > 0
}
