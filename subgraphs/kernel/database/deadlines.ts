import pg from 'pg'
import { Refusal } from '../errors.ts'
import type { StatementKind } from './database.ts'

/** What a read of a tenant may take. */
export const readMs = 2_000
/** How long it waits for a lock: less, so that a lock is told from a read that is too much work. */
export const readLockMs = 1_500
/** What a statement of a tenant may take that writes, or that stands in a transaction. */
export const writeMs = 10_000
/** How long such a statement waits for a lock. */
export const writeLockMs = 5_000

const queryCanceled = '57014'

/** What PostgreSQL said to a statement of this kind, as it is told: a read that the client composed is the client's to change. */
export function inTime(error: unknown, kind: StatementKind): unknown {
  const isLate = error instanceof pg.DatabaseError && error.code === queryCanceled
  return isLate && (kind === 'LIST' || kind === 'SCAN') ? tooExpensive() : error
}

const tooExpensive = (): Refusal =>
  new Refusal(
    'QUERY_TOO_EXPENSIVE',
    `The query took longer than ${readMs / 1000} seconds. Leave out conditions on text, search, total or the order, or narrow the filter.`,
  )
