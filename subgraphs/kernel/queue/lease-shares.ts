import type { Sql } from '../database/sql.ts'
import { due, dueOf, leaseSets, tokensFor, type LeasedItems } from './lease.ts'
import type { Lane, Leased, Queue, QueuedItem, Shares } from './queue.ts'
import { shareOut, type Portion } from './share-out.ts'
import { waitingKeys, type FoundKey } from './waiting-keys.ts'
import { lockOf } from '../database/locks.ts'

/** What a process remembers of a lane between two leases. */
export interface LaneState {
  /** The organization whose item was leased last: round robin continues with the one before it in the order of ids. */
  lastOrganization: string
  /** Running attempts of each organization. */
  readonly running: Map<string, number>
  /** Before this time of the process, no item is looked for whose time has come. */
  nextDueMs: number
  /**
   * For keys with further items, when the last item that was leased became due; emptied whenever items become due. In the index, the entries of
   * leased items stay until the next vacuum, and each search of the key would begin with them.
   */
  readonly leasedUntil: Map<string, string>
}

const allOrganizations = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
export const newLaneState = (): LaneState => ({
  lastOrganization: allOrganizations,
  running: new Map(),
  nextDueMs: 0,
  leasedUntil: new Map(),
})

/** How often items become due, and how many at once. */
const dueEveryMs = 250
const dueAtOnceMax = 1_000

/**
 * Leases up to `count` due items for `leaseMs`, shared out among organizations and keys (`shareOut`). The cost depends neither
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
  const work = async (sql: Sql): Promise<LeasedItems<Item>> => {
    // Processes lease one after another, so that each of them counts the leases of all others.
    await sql.query(`select pg_advisory_xact_lock(${lockOf('queueShares')}), ${onlyByIndex}`, [queue.table])
    if (performance.now() >= state.nextDueMs) {
      const made = await makeDue(sql, queue.table, shares)
      state.leasedUntil.clear()
      state.nextDueMs = made < dueAtOnceMax ? performance.now() + dueEveryMs : 0
    }
    const { found, portions, isAll } = await nextPortions(sql, queue, lane, count, state, free)
    if (found.length === 0) return { items: [], mayHaveMore: false }
    if (portions.length === 0) return { items: [], mayHaveMore: true }
    const items = await leasePortions(sql, queue, lane, portions, state)
    const last = portions.findLast(({ organization }) => items.some((item) => item.organization === organization))
    if (last) state.lastOrganization = last.organization
    const isComplete =
      found.length === portions.length &&
      isAll &&
      portions.every(
        (portion) => leasedOf(items, portion).length < portion.slots && !isUsedUp(items, portions, portion),
      )
    return { items, mayHaveMore: !isComplete }
  }
  return database.transaction(work, { hasEvents: () => false, mayBeLost: queue.mayBeLost === true })
}

interface NextPortions {
  readonly found: readonly FoundKey[]
  readonly portions: readonly Portion[]
  /** All organizations with due items were found. */
  readonly isAll: boolean
}

/** Most searches of one lease. */
const searchesMax = 4

/**
 * Looks at `count` organizations. When none of them may have a slot, because they use too many, further ones are looked at: a few organizations
 * with slow receivers must not hide the others.
 */
async function nextPortions(
  sql: Sql,
  { table, shares }: Pick<Queue, 'table' | 'shares'>,
  lane: Lane,
  count: number,
  state: LaneState,
  free: number,
): Promise<NextPortions> {
  const { perOrganizationMax } = shares!
  for (let search = 1, max = count; ; search++, max = count + state.running.size) {
    const found = await waitingKeys(sql, table, shares!, lane, state.lastOrganization, max)
    const portions = shareOut(found, {
      count,
      free,
      perKeyMax: runningMax(lane, shares!),
      ...(perOrganizationMax !== undefined && { perOrganizationMax }),
      running: new Map(found.map((each) => [each.organization, each.organizationRunning])),
      runningHere: state.running,
    })
    const isAll = found.length === 0 || found[0]!.organizations < max
    if (portions.length > 0 || isAll || search === searchesMax) return { found, portions, isAll }
    state.lastOrganization = found.at(-1)!.organization
  }
}

/** A quarter of the attempts with a key is left to retries: otherwise they would wait as long as the key has fresh items. */
const runningMax = (lane: Lane, { perKeyMax }: Shares): number =>
  lane === 'fresh' ? perKeyMax - Math.floor(perKeyMax / 4) : perKeyMax

/**
 * Leases the items of each portion from the last one that was leased on, and if these are too few, from the first one on: an item may have been
 * queued earlier and committed later.
 */
async function leasePortions<Item extends QueuedItem>(
  sql: Sql,
  queue: Queue<Item>,
  lane: Lane,
  portions: readonly Portion[],
  { leasedUntil }: LaneState,
): Promise<LeasedShare<Item>[]> {
  const items: LeasedShare<Item>[] = []
  for (let wanted = portions; wanted.length > 0;) {
    const leased = await sql.query<LeasedShare<Item>>(portionsSql(queue, queue.shares!, lane), [
      tokensFor(wanted.reduce((sum, portion) => sum + portion.slots, 0)),
      queue.leaseMs,
      wanted.map(({ organization }) => organization),
      wanted.map(({ key }) => key),
      wanted.map((portion) => portion.slots),
      wanted.map((portion) => leasedUntil.get(keyOfPortion(portion)) ?? null),
    ])
    // What is updated is returned in no certain order.
    leased.sort((one, other) => one.number - other.number)
    items.push(...leased)
    const again: Portion[] = []
    for (const portion of wanted) {
      const own = leasedOf(leased, portion)
      const isOver = own.length === portion.slots || isUsedUp(leased, wanted, portion)
      if (isOver && own.length > 0) leasedUntil.set(keyOfPortion(portion), own.at(-1)!.dueAt)
      else if (isOver) continue
      else if (leasedUntil.delete(keyOfPortion(portion))) again.push({ ...portion, slots: portion.slots - own.length })
    }
    wanted = again
  }
  return items
}

const leasedOf = <Item>(items: readonly LeasedShare<Item>[], { organization, key }: Portion): LeasedShare<Item>[] =>
  items.filter((item) => item.organization === organization && item.leasedKey === key)

/** Whether the items use all slots of the portions of the organization. Then it may have more items than were leased. */
const isUsedUp = <Item>(
  items: readonly LeasedShare<Item>[],
  portions: readonly Portion[],
  { organization }: Portion,
): boolean => {
  const isOwn = (one: { readonly organization: string }): boolean => one.organization === organization
  const used = items.filter(isOwn).reduce((sum, { slots }) => sum + slots, 0)
  return used >= portions.filter(isOwn).reduce((sum, portion) => sum + portion.slots, 0)
}

/**
 * The planner does not know how few items are wanted: it would sort all items of a key, and read the whole table to find them. The plans that remain
 * are the same for all values.
 */
const onlyByIndex = [
  ...['sort', 'bitmapscan', 'seqscan', 'hashjoin', 'mergejoin'].map((name) => [`enable_${name}`, 'off']),
  ['plan_cache_mode', 'force_generic_plan'],
]
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ')

/** `number`: its place among those of one statement, oldest first. `dueAt`: when the item became due. */
type LeasedShare<Item> = Leased<Item> & {
  readonly number: number
  readonly slots: number
  readonly organization: string
  readonly leasedKey: string
  readonly dueAt: string
}

const keyOfPortion = ({ organization, key }: Pick<Portion, 'organization' | 'key'>): string => `${organization}:${key}`

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

/**
 * $3, $4, $5, $6: organizations, their keys, the number of slots, and the time before which no item is looked for. Of an organization, no item is
 * leased after those that use all its slots.
 */
function portionsSql(
  { table, columns, slotsOf = '1' }: Pick<Queue, 'table' | 'columns' | 'slotsOf'>,
  { organization, key }: Shares,
  lane: Lane,
): string {
  return `with oldest as (
       select oldest.*, portion.number as portion, (sum(oldest.slots) over before_it) - oldest.slots as used, portion.slots_of_organization
       from (
         select given.*, sum(slots_given) over (partition by organization) as slots_of_organization
         from unnest($3::uuid[], $4::uuid[], $5::int[], $6::timestamptz[]) with ordinality as given(organization, key, slots_given, due_from, number)
       ) portion
       cross join lateral (
         select ${organization} as next_organization, id as next_id, lease_token as lost_token, next_attempt_at as due_at, ${slotsOf} as slots
         from ${table}
         where ${dueOf[lane]} and ${organization} = portion.organization and ${key} = portion.key
           and next_attempt_at >= coalesce(portion.due_from, '-infinity')
         order by next_attempt_at limit portion.slots_given for update skip locked
       ) oldest
       window before_it as (partition by portion.organization order by portion.number, oldest.due_at, oldest.next_id)
     ), next as (
       select *, row_number() over (order by portion, due_at, next_id) as number from oldest where used < slots_of_organization
     )
     update ${table} item set ${leaseSets}, is_due = false
     from next where item.${organization} = next.next_organization and item.id = next.next_id
     returning item.id, item.attempts, item.lease_token as token, next.lost_token as "lostToken", ${columns},
       item.${organization} as organization, item.${key} as "leasedKey", next.due_at as "dueAt", next.slots, next.number::int as number`
}
