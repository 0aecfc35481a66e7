import { createHash } from 'node:crypto'
import { lockOf } from '../database/locks.ts'
import type { RequestContext } from '../request.ts'

/** A transaction has at most so many of these locks for a record type, because the memory of PostgreSQL for locks is limited. */
export const valueLocksMax = 64

const numberOf = (value: string): number => createHash('md5').update(value).digest()[0]! % valueLocksMax

/** The numbers of the locks of these values: values share locks. */
export const lockNumbersOf = (values: Iterable<string>): ReadonlySet<number> => new Set(Array.from(values, numberOf))

type Locks = 'externalIds' | 'duplicates'

/** SQL of the locks with these names, in the order in which all transactions take them. */
const sortedLocks = (name: Locks): string =>
  `select distinct ${lockOf(name, 'key')} as lock from unnest($1::text[]) as key order by lock`

const namesOf = ({ caller }: RequestContext, object: string, numbers: Iterable<number>): string[] =>
  Array.from(numbers, (number) => `${object} ${caller.organizationId} ${number}`)

/**
 * Waits for the other transactions of the organization that have some of these locks of a record type. All transactions take them in the order of the
 * locks.
 */
export async function lockNumbered(
  ctx: RequestContext,
  name: Locks,
  object: string,
  numbers: Iterable<number>,
): Promise<void> {
  const keys = namesOf(ctx, object, numbers)
  if (keys.length === 0) return
  await ctx.db.query(`select pg_advisory_xact_lock(lock) from (${sortedLocks(name)}) as sorted`, [keys])
}

/**
 * Takes these locks in their order, as far as no other transaction has one; true if all are taken. Without waiting, so that a transaction that has written
 * rows and one that waits for these never wait for each other.
 */
export async function tryLockNumbered(
  ctx: RequestContext,
  name: Locks,
  object: string,
  numbers: ReadonlySet<number>,
): Promise<boolean> {
  const [row] = await ctx.db.query<{ count: number }>(
    `with recursive numbered as materialized (select lock, row_number() over (order by lock) as place from (${sortedLocks(name)}) as sorted),
       taken(place, is_taken) as (
         select 0::bigint, true
         union all select n.place, pg_try_advisory_xact_lock(n.lock) from taken t join numbered n on n.place = t.place + 1 where t.is_taken)
     select count(*)::int as count from numbered where place > (select max(place) from taken where is_taken)`,
    [namesOf(ctx, object, numbers)],
  )
  return row!.count === 0
}
