import pg from 'pg'
import { Refusal } from '../errors.ts'
import type { StatementKind } from './database.ts'

/** What a read of a tenant may take. */
export const readMs = 2_000
/**
 * When the last of the reads that a client composed may begin, counted from the first: with its wait and its deadline an
 * operation ends before the gateway would take a subgraph in another process for dead.
 */
export const operationMs = 3_000
/** How long it waits for a lock: less, so that a lock is told from a read that is too much work. */
export const readLockMs = 1_500
/** What a statement of a tenant may take that writes, or that stands in a transaction. */
export const writeMs = 10_000
/** How long such a statement waits for a lock. */
export const writeLockMs = 5_000

const queryCanceled = '57014'

/** Whether the client composed it, and can change what is too much work. */
export const isComposed = (kind: StatementKind): boolean => kind === 'LIST' || kind === 'SCAN'

/** What PostgreSQL said to a statement of this kind, as it is told. */
export function inTime(error: unknown, kind: StatementKind): unknown {
  const isLate = error instanceof pg.DatabaseError && error.code === queryCanceled
  return isLate && isComposed(kind) ? tooExpensive() : error
}

export const tooExpensive = (): Refusal =>
  new Refusal(
    'QUERY_TOO_EXPENSIVE',
    'The query takes too long. Leave out conditions on text, search, total or the order, or narrow the filter.',
  )
