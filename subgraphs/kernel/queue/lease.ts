import type { Sql } from '../database/sql.ts'
import type { Lane, Outcome, Queue, QueuedItem, Shares } from './queue.ts'

/** The organization that was served last by this process: the next one has its turn before it. */
export interface Turn {
  organization: string
}

export const firstTurn = '00000000-0000-0000-0000-000000000000'

/** An item and, where organizations share the queue, whose it is. */
type Leased<Item> = Item & { readonly organization?: string }

const waitingIn: Readonly<Record<Lane, string>> = {
  fresh: `state = 'QUEUED' and attempts = 0`,
  retry: `state = 'QUEUED' and attempts > 0`,
}
// The clock of the database is one for all processes. It stands still within a statement, so that indexes can be used.
const due = 'next_attempt_at <= statement_timestamp()'

/** Takes the next item that is due, for as long as the queue's lease. */
export async function leaseNext<Item extends QueuedItem>(
  database: Sql,
  queue: Queue<Item>,
  lane: Lane,
  token: string,
  turn: Turn,
): Promise<Leased<Item> | undefined> {
  const { shares } = queue
  if (!shares) {
    const oldest = `select id from ${queue.table} where ${waitingIn[lane]} and ${due} order by next_attempt_at limit 1 for update skip locked`
    const [item] = await database.query<Item>(leaseSql(queue, `id = (${oldest})`), [token, queue.leaseMs])
    return item
  }
  return database.transaction(async (sql) => {
    // One after the other, so that every process counts the leases of all.
    await sql.query('select pg_advisory_xact_lock(hashtextextended($1, 12))', [queue.table])
    const [item] = await sql.query<Leased<Item>>(sharedLeaseSql(queue, shares, lane), [
      token,
      queue.leaseMs,
      shares.perKeyMax,
      turn.organization,
    ])
    if (item) turn.organization = item.organization!
    return item
  })
}

const leaseSql = ({ table, columns }: Pick<Queue, 'table' | 'columns'>, which: string): string =>
  `update ${table} set lease_token = $1, attempts = attempts + 1,
     next_attempt_at = statement_timestamp() + $2 * interval '1 millisecond'
   where ${which}
   returning id, attempts, ${columns}`

/**
 * The oldest item of a key that has room, of the organization that has the fewest attempts running; of several, the next
 * in turn. It jumps from key to key along the index, so its cost is the number of keys that wait, not of items.
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

/** Counts only from the attempt that holds the lease. False when another one has it by then. */
export async function settle(
  database: Sql,
  { table, shares, emptied = [] }: Pick<Queue, 'table' | 'shares' | 'emptied'>,
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
          ...emptied.map((column) => `${column} = null`),
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
