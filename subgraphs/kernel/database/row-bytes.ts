import { rowBytesMax, rowsTooLarge } from '../json/answer-size.ts'
import { largeFrom, ownEventLoopTurn } from '../work/turn.ts'
import type { Row, Sql } from './sql.ts'

/** Smaller results are not recorded: an operation runs at most some dozens of statements, so they cannot add up to the limit. */
const recordedFrom = 65_536

const recorded = new WeakMap<object, number>()

/** Records the size of a statement's rows, or of one row, in bytes as PostgreSQL sent them. Must be called for every statement. */
export function recordRowBytes(rows: object, bytes: number): void {
  if (bytes >= recordedFrom) recorded.set(rows, bytes)
}

export const recordedRowBytes = (rows: object): number => recorded.get(rows) ?? 0

const unlimited = new WeakMap<Sql, Sql>()

/** Without the limit: for rows that are read for a rule in bounded batches, and are not part of an answer. */
export const withoutRowLimit = (sql: Sql): Sql => unlimited.get(sql) ?? sql

/** Wraps `sql` of an organization so that all statements together read at most `rowBytesMax` bytes. */
export function limitRowBytes(sql: Sql, organizationId: string, read = { bytes: 0 }): Sql {
  const counted = <R extends object | null>(rows: R): R | Promise<R> => {
    const bytes = rows ? recordedRowBytes(rows) : 0
    read.bytes += bytes
    if (read.bytes > rowBytesMax) throw rowsTooLarge()
    return bytes < largeFrom ? rows : ownEventLoopTurn(organizationId).then(() => rows)
  }
  const limited: Sql = {
    open: sql.open,
    query: <R = Row>(...statement: Parameters<Sql['query']>) => sql.query<R>(...statement).then(counted<R[]>),
    byId: (...lookup) => sql.byId(...lookup).then(counted<Row | null>),
    transaction: (work) => sql.transaction((inside) => work(limitRowBytes(inside, organizationId, read))),
  }
  unlimited.set(limited, sql)
  return limited
}
