import type { Sql } from '../database/sql.ts'
import { newId } from '../ids.ts'
import type { Leased, Outcome, Queue, QueuedItem } from './queue.ts'

export const laneCondition = { fresh: 'attempts = 0', retry: 'attempts > 0' } as const
/** The due items of a lane in a table with `shares`. */
export const dueOf = { fresh: `is_due and ${laneCondition.fresh}`, retry: `is_due and ${laneCondition.retry}` } as const
// All processes use the clock of the database. `statement_timestamp()` is constant during a statement, so that indexes can be used.
export const due = 'next_attempt_at <= statement_timestamp()'

export interface LeasedItems<Item> {
  readonly items: readonly Leased<Item>[]
  /** False when no further item of the lane can be leased before another one is queued, becomes due or ends. */
  readonly mayHaveMore: boolean
}

export const tokensFor = (count: number): string[] => Array.from({ length: count }, newId)

/** Leases up to `count` due items, in the order of their due time. */
export async function leaseOldest<Item extends QueuedItem>(
  database: Sql,
  { table, columns, slotsOf = '1', leaseMs }: Queue<Item>,
  lane: keyof typeof laneCondition,
  count: number,
): Promise<LeasedItems<Item>> {
  const items = await database.query<Leased<Item>>(
    `with oldest as (
       select id, lease_token as lost_token from ${table} where state = 'QUEUED' and ${laneCondition[lane]} and ${due}
       order by next_attempt_at limit $3 for update skip locked
     ), next as (select *, row_number() over () as number from oldest)
     update ${table} item set ${leaseSets}
     from next where item.id = next.id
     returning item.id, item.attempts, item.lease_token as token, next.lost_token as "lostToken", ${columns},
       ${slotsOf} as slots`,
    [tokensFor(count), leaseMs, count],
  )
  return { items, mayHaveMore: items.length === count }
}

/** $1: a token for each item; $2: the duration of the lease. */
export const leaseSets = `lease_token = ($1::uuid[])[next.number], attempts = item.attempts + 1,
       next_attempt_at = statement_timestamp() + $2 * interval '1 millisecond'`

type Recording = Pick<Queue, 'table' | 'shares' | 'clearedColumns'>

/** Records the outcome of an attempt. False, and nothing is changed, when another attempt has the lease by then. */
export async function recordOutcome(
  database: Sql,
  { table, shares, clearedColumns = [] }: Recording,
  { id, organization, token }: Leased<QueuedItem>,
  outcome: Outcome,
  waitMs: number,
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
          ...(shares ? ['is_due = false'] : []),
          ...clearedColumns.map((column) => `${column} = null`),
        ]
      : [
          ...(outcome.isWait ? ['attempts = attempts - 1'] : []),
          `next_attempt_at = statement_timestamp() + $${values.push(waitMs)} * interval '1 millisecond'`,
          ...(shares ? ['is_due = false'] : []),
        ]),
    ...Object.entries(outcome.result ?? {}).map(([column, value]) => `${column} = $${values.push(value)}`),
  ]
  const settled = await database.query(
    `update ${table} set ${sets.join(', ')} where ${shares ? `${shares.organization} = $${values.push(organization)} and ` : ''}id = $1 and lease_token = $2 returning 1`,
    values,
  )
  return settled.length > 0
}

/** For so long after it was queued, an item gets the attempts back that could not begin; after that, it ends also if none of them can begin. */
const givenBackFor = '1 day'

/** After this time an item is attempted again whose attempt could not begin. Its lease would be a long wait after a short outage. */
const notBegunRetryMs = 5_000

/** Undoes the lease for an attempt that could not begin. The item is due again after `notBegunRetryMs`, at the latest when the lease would have ended. */
export async function undoLease(
  database: Sql,
  { table, shares }: Recording,
  { id, organization, token, lostToken }: Leased<QueuedItem>,
): Promise<void> {
  await database.query(
    `update ${table} set lease_token = $3, attempts = attempts - 1,
       next_attempt_at = least(next_attempt_at, statement_timestamp() + interval '${notBegunRetryMs} milliseconds')
     where ${shares ? `${shares.organization} = $4 and ` : ''}id = $1 and lease_token = $2
       and created_at > statement_timestamp() - interval '${givenBackFor}'`,
    [id, token, lostToken, ...(shares ? [organization] : [])],
  )
}
