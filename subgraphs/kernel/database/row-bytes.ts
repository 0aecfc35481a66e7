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

/** Reads at most `rowBytesMax` bytes with all its statements together. */
class LimitedSql implements Sql {
  readonly open: boolean

  constructor(
    readonly unlimited: Sql,
    private readonly organizationId: string,
    private readonly read = { bytes: 0 },
  ) {
    this.open = unlimited.open
  }

  query<R = Row>(...statement: Parameters<Sql['query']>): Promise<R[]> {
    return this.unlimited.query<R>(...statement).then((rows) => this.#counted(rows))
  }

  byId(...lookup: Parameters<Sql['byId']>): Promise<Row | null> {
    return this.unlimited.byId(...lookup).then((row) => this.#counted(row))
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.unlimited.transaction((inside) => work(new LimitedSql(inside, this.organizationId, this.read)))
  }

  #counted<R extends object | null>(rows: R): R | Promise<R> {
    const bytes = rows ? recordedRowBytes(rows) : 0
    this.read.bytes += bytes
    if (this.read.bytes > rowBytesMax) throw rowsTooLarge()
    return bytes < largeFrom ? rows : ownEventLoopTurn(this.organizationId).then(() => rows)
  }
}

/** Wraps `sql` of an organization so that all statements together read at most `rowBytesMax` bytes. */
export const limitRowBytes = (sql: Sql, organizationId: string): Sql => new LimitedSql(sql, organizationId)

/** Without the limit: for rows that are read for a rule in bounded batches, and are not part of an answer. */
export const withoutRowLimit = (sql: Sql): Sql => (sql instanceof LimitedSql ? sql.unlimited : sql)
