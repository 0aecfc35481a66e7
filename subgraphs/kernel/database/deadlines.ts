import pg from 'pg'
import { Refusal } from '../errors.ts'
import type { StatementKind } from './sql.ts'

/** Statement timeout of a tenant's read. */
export const readMs = 2_000
/**
 * Latest start of a read that the client composed, counted from the start of its operation. With the time to wait and the
 * timeout of that read, the operation still ends before the gateway would consider a subgraph in another process dead.
 */
export const operationMs = 3_000
/** Lock timeout of a read. Shorter than `readMs`, so that waiting for a lock is distinguished from a query that is too expensive. */
export const readLockMs = 1_500
/** Statement timeout of a tenant's write, and of every statement in a tenant's transaction. */
export const writeMs = 10_000
/** Lock timeout of such a statement. */
export const writeLockMs = 5_000

const queryCanceled = '57014'

/** Whether the client composed the statement, and can therefore make it cheaper. */
export const isClientComposed = (kind: StatementKind): boolean => kind === 'LIST' || kind === 'SCAN'

/** Translates a statement timeout of a query that the client composed into `QUERY_TOO_EXPENSIVE`; returns other errors unchanged. */
export function translateTimeout(error: unknown, kind: StatementKind): unknown {
  const isLate = error instanceof pg.DatabaseError && error.code === queryCanceled
  return isLate && isClientComposed(kind) ? tooExpensive() : error
}

export const tooExpensive = (): Refusal =>
  new Refusal(
    'QUERY_TOO_EXPENSIVE',
    'The query takes too long: each read may take 2 s and must start within 3 s. Remove text conditions, search, total or the order, or narrow the filter.',
  )
