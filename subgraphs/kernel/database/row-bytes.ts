import { rowBytesMax, rowsTooLarge } from '../json/answer-size.ts'
import { largeFrom, ownEventLoopTurn } from '../work/turn.ts'
import type { Row, Sql } from './sql.ts'

/** Smaller results are not recorded: an operation runs at most some dozens of statements, so they cannot add up to the limit. */
const recordedFrom = 65_536

const recorded = new WeakMap<readonly object[], number>()

/** Records the size of a statement's rows in bytes as PostgreSQL sent them. Must be called for every statement. */
export function recordRowBytes(rows: readonly object[], bytes: number): void {
  if (bytes >= recordedFrom) recorded.set(rows, bytes)
}

/** Wraps `sql` so that all statements together read at most `rowBytesMax` bytes. */
export function limitRowBytes(sql: Sql, read = { bytes: 0 }): Sql {
  const counted = <R>(rows: R[]): R[] | Promise<R[]> => {
    const bytes = recorded.get(rows as object[]) ?? 0
    read.bytes += bytes
    if (read.bytes > rowBytesMax) throw rowsTooLarge()
    return bytes < largeFrom ? rows : ownEventLoopTurn().then(() => rows)
  }
  return {
    open: sql.open,
    query: <R = Row>(...statement: Parameters<Sql['query']>) => sql.query<R>(...statement).then(counted<R>),
    transaction: (work) => sql.transaction((inside) => work(limitRowBytes(inside, read))),
  }
}
