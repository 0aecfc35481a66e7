import { randomUUID } from 'node:crypto'
import type { Sql } from '../database/sql.ts'
import { due, laneCondition, leaseSets, tokensFor, type LeasedItems } from './lease.ts'
import type { Lane, Leased, Queue, QueuedItem, Shares } from './queue.ts'
import { shareOut, type Portion, type WaitingKey } from './share-out.ts'

/** What a process remembers of a lane between two leases. */
export interface LaneState {
  /** The organization whose item was leased last: round robin continues with the organization after it. */
  lastOrganization: string
  /** Running attempts of each organization. */
  readonly running: Map<string, number>
  /** Before this time of the process, no item is looked for whose time has come. */
  nextDueMs: number
}

const noOrganization = '00000000-0000-0000-0000-000000000000'
export const newLaneState = (): LaneState => ({
  lastOrganization: noOrganization,
  running: new Map(),
  nextDueMs: 0,
})

/** How often items become due, and how many at once. */
const dueEveryMs = 250
const dueAtOnceMax = 1_000

/**
 * Leases up to `count` due items for `leaseMs`, shared out among organizations and keys (`shareOut`). The searches jump along the index from
 * organization to organization and from key to key, and look at no more of them than there are free slots. So the cost depends neither
 * on the number of waiting items nor on that of waiting keys.
 */
export function leaseShares<Item extends QueuedItem>(
  database: Sql,
  queue: Queue<Item>,
  lane: Lane,
  count: number,
  state: LaneState,
  /** Free slots of the lane in this process. */
  free = count,
): Promise<LeasedItems<Item>> {
  const shares = queue.shares!
  return database.transaction(async (sql) => {
    // Processes lease one after another, so that each of them counts the leases of all others.
    await sql.query(`select pg_advisory_xact_lock(hashtextextended($1, 12)), ${onlyByIndex}`, [queue.table])
    if (performance.now() >= state.nextDueMs) {
      const made = await makeDue(sql, queue.table, shares)
      state.nextDueMs = made < dueAtOnceMax ? performance.now() + dueEveryMs : 0
    }
    const running = await runningKeys(sql, queue.table, shares)
    const organizations = await waitingOrganizations(sql, queue.table, shares, lane, state.lastOrganization, count)
    if (organizations.length === 0) return { items: [], mayHaveMore: false }
    const keysMax = Math.ceil((4 * count) / organizations.length)
    const found = await waitingKeys(sql, queue.table, shares, lane, organizations, keysMax, running)
    const portions = shareOut(found, {
      count,
      free,
      perKeyMax: shares.perKeyMax,
      running: sumByOrganization(running),
      runningHere: state.running,
    })
    if (portions.length === 0) return { items: [], mayHaveMore: true }
    const items = await sql.query<LeasedShare<Item>>(portionsSql(queue, shares, lane), [
      tokensFor(count),
      queue.leaseMs,
      portions.map(({ organization }) => organization),
      portions.map(({ key }) => key),
      portions.map(({ items: portion }) => portion),
    ])
    const last = portions.findLast(({ organization }) => items.some((item) => item.organization === organization))
    if (last) state.lastOrganization = last.organization
    const isComplete =
      organizations.length < count &&
      found.length === portions.length &&
      portions.every((portion) => leasedOf(items, portion) < portion.items)
    return { items, mayHaveMore: !isComplete }
  }, withoutEvents)
}

const withoutEvents = { hasEvents: () => false }

/** The planner does not know how few items are wanted: it would sort all items of a key, and read the whole table to find them. */
const onlyByIndex = ['enable_sort', 'enable_bitmapscan', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((name) => `set_config('${name}', 'off', true)`)
  .join(', ')

type LeasedShare<Item> = Leased<Item> & { readonly organization: string; readonly leasedKey: string }

const leasedOf = (items: readonly LeasedShare<unknown>[], { organization, key }: Portion): number =>
  items.filter((item) => item.organization === organization && item.leasedKey === key).length

function sumByOrganization(keys: readonly WaitingKey[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { organization, running } of keys) sums.set(organization, (sums.get(organization) ?? 0) + running)
  return sums
}

/** Marks items as due whose time has come: retries, delayed items, and items whose lease has ended. */
async function makeDue(sql: Sql, table: string, { organization }: Shares): Promise<number> {
  const made = await sql.query(
    `with waited as (
       select ${organization} as waiting_organization, id as waiting_id from ${table} where state = 'QUEUED' and not is_due and ${due}
       order by next_attempt_at limit ${dueAtOnceMax} for update skip locked
     )
     update ${table} set is_due = true from waited where ${organization} = waiting_organization and id = waiting_id returning 1`,
  )
  return made.length
}

/** The keys with running attempts. An attempt is counted until its lease ends. */
const runningKeys = (sql: Sql, table: string, { organization, key }: Shares): Promise<WaitingKey[]> =>
  sql.query<WaitingKey>(
    `select ${organization} as organization, ${key} as key, count(*)::int as running from ${table}
     where lease_token is not null and not is_due and next_attempt_at > statement_timestamp() group by 1, 2`,
  )

const dueIn = (lane: Lane): string => `is_due and ${laneCondition[lane]}`

/** Up to `max` organizations with due items, beginning after the given one. */
async function waitingOrganizations(
  sql: Sql,
  table: string,
  { organization }: Shares,
  lane: Lane,
  after: string,
  max: number,
): Promise<string[]> {
  const next = (condition: string): string =>
    `select ${organization} as organization from ${table} where ${dueIn(lane)} and ${condition} order by ${organization} limit 1`
  const jumping = (name: string, first: string, limit = 'true'): string =>
    `${name} as (
       (${next(first)}) union all
       select following.* from ${name} cross join lateral (${next(`${organization} > ${name}.organization and ${limit}`)}) following
     )`
  const rows = await sql.query<{ organization: string }>(
    `with recursive ${jumping('later', `${organization} > $1`)},
       ${jumping('earlier', `${organization} <= $1`, `${organization} <= $1`)}
     select organization from (
       (select organization from later limit $2) union all (select organization from earlier limit $2)
     ) found limit $2`,
    [after, max],
  )
  return rows.map((row) => row.organization)
}

/**
 * Keys of the organizations with due items, with their running attempts; at most `max` of each organization in addition to those that have running
 * attempts. The search begins at a random key, so that none is always behind the others.
 */
async function waitingKeys(
  sql: Sql,
  table: string,
  { organization, key }: Shares,
  lane: Lane,
  organizations: readonly string[],
  max: number,
  running: readonly WaitingKey[],
): Promise<WaitingKey[]> {
  const busy = new Map<string, Map<string, number>>()
  for (const each of running) {
    const keys = busy.get(each.organization) ?? new Map<string, number>()
    busy.set(each.organization, keys.set(each.key, each.running))
  }
  const next = (condition: string): string =>
    `select ${key} as key from ${table} where ${dueIn(lane)} and ${organization} = waiting.organization and ${condition} order by ${key} limit 1`
  const jumping = (name: string, first: string, limit = 'true'): string =>
    `${name} as (
       (${next(first)}) union all
       select following.* from ${name} cross join lateral (${next(`${key} > ${name}.key and ${limit}`)}) following
     )`
  const rows = await sql.query<Omit<WaitingKey, 'running'>>(
    `select waiting.organization, found.key
     from unnest($1::uuid[], $2::int[]) with ordinality as waiting(organization, max, number)
     cross join lateral (
       with recursive ${jumping('later', `${key} > $3`)}, ${jumping('earlier', `${key} <= $3`, `${key} <= $3`)}
       select key from ((select key from later limit waiting.max) union all (select key from earlier limit waiting.max)) keys
       limit waiting.max
     ) found
     order by waiting.number`,
    [organizations, organizations.map((each) => max + (busy.get(each)?.size ?? 0)), randomUUID()],
  )
  return rows.map((row) => ({ ...row, running: busy.get(row.organization)?.get(row.key) ?? 0 }))
}

/** $3, $4, $5: organizations, their keys, and the number of items to lease. */
function portionsSql(
  { table, columns }: Pick<Queue, 'table' | 'columns'>,
  { organization, key }: Shares,
  lane: Lane,
): string {
  return `with next as (
       select oldest.*, row_number() over (order by portion.number) as number
       from unnest($3::uuid[], $4::uuid[], $5::int[]) with ordinality as portion(organization, key, items, number)
       cross join lateral (
         select ${organization} as next_organization, id as next_id, lease_token as lost_token from ${table}
         where ${dueIn(lane)} and ${organization} = portion.organization and ${key} = portion.key
         order by next_attempt_at limit portion.items for update skip locked
       ) oldest
     )
     update ${table} item set ${leaseSets}, is_due = false
     from next where item.${organization} = next.next_organization and item.id = next.next_id
     returning item.id, item.attempts, item.lease_token as token, next.lost_token as "lostToken", ${columns},
       item.${organization} as organization, item.${key} as "leasedKey"`
}
