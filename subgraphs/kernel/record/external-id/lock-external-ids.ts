import { createHash } from 'node:crypto'
import { lockOf } from '../../database/locks.ts'
import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'

/** A transaction has at most so many of these locks, because the memory of PostgreSQL for locks is limited. */
const locksMax = 64

const lockNumberOf = (value: string): number => createHash('md5').update(value).digest()[0]! % locksMax

/**
 * Waits for the other transactions of the organization that write several of these external ids. A unique index makes a transaction wait for one that
 * has written the same value, so without these locks two that write the same values in another order would wait for each other.
 */
export async function lockExternalIds(
  { db, caller }: RequestContext,
  { object }: Pick<RecordShape, 'object'>,
  values: readonly unknown[],
): Promise<void> {
  const given = new Set(values.flatMap((value) => (typeof value === 'string' ? value.trim() || [] : [])))
  if (given.size < 2) return
  const locks = new Set(Array.from(given, lockNumberOf))
  const keys = Array.from(locks, (number) => `${object} ${caller.organizationId} ${number}`)
  await db.query(
    `select pg_advisory_xact_lock(lock) from (
       select distinct ${lockOf('externalIds', 'key')} as lock from unnest($1::text[]) as key order by lock) as sorted`,
    [keys],
  )
}
