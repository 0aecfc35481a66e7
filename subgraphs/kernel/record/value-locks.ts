import { createHash } from 'node:crypto'
import { lockOf } from '../database/locks.ts'
import type { RequestContext } from '../request.ts'

/** A transaction has at most so many of these locks for a record type, because the memory of PostgreSQL for locks is limited. */
export const valueLocksMax = 64

const numberOf = (value: string): number => createHash('md5').update(value).digest()[0]! % valueLocksMax

/** The numbers of the locks of these values: values share locks. */
export const lockNumbersOf = (values: Iterable<string>): ReadonlySet<number> => new Set(Array.from(values, numberOf))

/**
 * Waits for the other transactions of the organization that have some of these locks of a record type. All transactions take them in the order of the
 * locks.
 */
export async function lockNumbered(
  { db, caller }: RequestContext,
  name: 'externalIds' | 'duplicates',
  object: string,
  numbers: Iterable<number>,
): Promise<void> {
  const keys = Array.from(numbers, (number) => `${object} ${caller.organizationId} ${number}`)
  if (keys.length === 0) return
  await db.query(
    `select pg_advisory_xact_lock(lock) from (
       select distinct ${lockOf(name, 'key')} as lock from unnest($1::text[]) as key order by lock) as sorted`,
    [keys],
  )
}
