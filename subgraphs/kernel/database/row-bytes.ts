import { rowBytesMax, rowsTooLarge } from '../json/answer-size.ts'
import { largeFrom, ownEventLoopTurn } from '../work/turn.ts'
import { bytesOfValues, type StoredBytes } from '../stored-bytes/stored-bytes.ts'
import type { Row, Sql, StatementKind } from './sql.ts'

/** Smaller results are not recorded: an operation runs at most some dozens of statements, so they cannot add up to the limit. */
const recordedFrom = 65_536

const recorded = new WeakMap<object, number>()

/** Records the size of a statement's rows, or of one row, in bytes as PostgreSQL sent them. Must be called for every statement. */
export function recordRowBytes(rows: object, bytes: number): void {
  if (bytes >= recordedFrom) recorded.set(rows, bytes)
}

export const recordedRowBytes = (rows: object): number => recorded.get(rows) ?? 0

/** Values of fewer bytes are those of a read, or of a write that is not worth counting. */
const countedFrom = 512

const isWrite = (text: string, kind?: StatementKind): boolean =>
  kind === 'WRITE' || /^\s*(?:insert|update)\b/i.test(text)

/** Reads at most `rowBytesMax` bytes with all its statements together, and writes what is left of the budget of the organization. */
class LimitedSql implements Sql {
  readonly open: boolean

  constructor(
    readonly unlimited: Sql,
    private readonly organizationId: string,
    private readonly stored: StoredBytes,
    private readonly read = { bytes: 0 },
    private readonly isRefused = true,
  ) {
    this.open = unlimited.open
  }

  query<R = Row>(...statement: Parameters<Sql['query']>): Promise<R[]> {
    const room = this.#takeRoom(...statement)
    const run = () => this.unlimited.query<R>(...statement)
    return (room ? room.then(run) : run()).then((rows) => this.#counted(rows))
  }

  #takeRoom(text: string, values: readonly unknown[] = [], kind?: StatementKind): void | Promise<void> {
    const bytes = bytesOfValues(values)
    if (bytes >= countedFrom && this.organizationId !== '' && isWrite(text, kind))
      return this.isRefused
        ? this.stored.take(this.organizationId, bytes)
        : this.stored.count(this.organizationId, bytes)
  }

  get neverRefused(): Sql {
    return new LimitedSql(this.unlimited, this.organizationId, this.stored, this.read, false)
  }

  byId(...lookup: Parameters<Sql['byId']>): Promise<Row | null> {
    return this.unlimited.byId(...lookup).then((row) => this.#counted(row))
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.unlimited.transaction((inside) =>
      work(new LimitedSql(inside, this.organizationId, this.stored, this.read, this.isRefused)),
    )
  }

  #counted<R extends object | null>(rows: R): R | Promise<R> {
    const bytes = rows ? recordedRowBytes(rows) : 0
    this.read.bytes += bytes
    if (this.read.bytes > rowBytesMax) throw rowsTooLarge()
    return bytes < largeFrom ? rows : ownEventLoopTurn(this.organizationId).then(() => rows)
  }
}

/** Wraps `sql` of an organization so that all statements together read at most `rowBytesMax` bytes, and that writes count as stored bytes. */
export const limitBytes = (sql: Sql, organizationId: string, stored: StoredBytes): Sql =>
  new LimitedSql(sql, organizationId, stored)

/** Without the limit: for rows that are read for a rule in bounded batches, and are not part of an answer. */
export const withoutRowLimit = (sql: Sql): Sql => (sql instanceof LimitedSql ? sql.unlimited : sql)

/** Whose writes count as stored bytes but are not refused: an organization without room may still delete. */
export const withoutStorageRefusal = (sql: Sql): Sql => (sql instanceof LimitedSql ? sql.neverRefused : sql)
