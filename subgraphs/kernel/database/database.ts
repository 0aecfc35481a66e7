import pg from 'pg'
import { rowBytesMax } from '../json/answer-size.ts'
import { connectionGuard, type ConnectionGuard } from './connection-guard.ts'
import { parseJsonExactly } from '../json/exact-json.ts'
import { exactNumber, type ExactNumber } from '../json/exact-number.ts'
import { RowClient } from '../package-internals/row-client.ts'
import { PreparedQuery, type LeadingStatement } from '../package-internals/prepared-query.ts'
import type { Row, Sql, StatementKind, TransactionOptions } from './sql.ts'
import { activeTracing, inStatementSpan } from '../tracing/tracing.ts'
import { statementName } from './statement-names.ts'

const { builtins } = pg.types
const textArray = 1009
const uuidArray = 2951
const emptyArray = '{}'

/** Converts `2026-11-21 09:30:00.12+00`, which PostgreSQL prints in a UTC session, to `2026-11-21T09:30:00.120Z`. */
function isoTimestamp(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString()
  const fraction = text.length === 22 ? '.000' : text.slice(19, -3).padEnd(4, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`
}

/** PostgreSQL writes all digits and no exponent, so a text of at most 15 characters is exact as a double. */
const decimal = (text: string): ExactNumber => (text.length <= 15 ? Number(text) : exactNumber(text))

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, isoTimestamp],
  [builtins.DATE, (text) => text],
  [builtins.NUMERIC, decimal],
  [builtins.INT8, Number],
  [builtins.JSON, parseJsonExactly],
  [builtins.JSONB, parseJsonExactly],
])
for (const oid of [textArray, uuidArray]) {
  const parse = pg.types.getTypeParser(oid as never) as (text: string) => string[]
  parsers.set(oid, (text) => plainItems(text) ?? parse(text))
}

/** Parses a simple array of texts, many times faster than a parser that reads every character. Null for arrays with escapes, nulls or nested arrays. */
function plainItems(text: string): string[] | null {
  if (text === emptyArray) return []
  if (text.includes('\\') || text.includes('{', 1) || text.includes('NULL') || !text.startsWith('{')) return null
  const items: string[] = []
  const end = text.length - 1
  for (let at = 1; at < end;) {
    const isQuoted = text[at] === '"'
    const start = isQuoted ? at + 1 : at
    const found = text.indexOf(isQuoted ? '"' : ',', start)
    const stop = found < 0 ? end : found
    items.push(text.slice(start, stop))
    at = stop + (isQuoted ? 2 : 1)
  }
  return items
}

type ParserOf = (oid: number, format?: string) => (text: string) => unknown
const defaultParser = pg.types.getTypeParser as ParserOf
const parserOf: ParserOf = (oid, format) => parsers.get(oid) ?? defaultParser(oid, format)
const types = { getTypeParser: parserOf } as pg.CustomTypesConfig

const none: readonly LeadingStatement[] = []

export type Settle = (error: unknown, rows: Row[]) => void

export function run(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  settle: Settle,
  leading: readonly LeadingStatement[] = none,
): void {
  client.query(new PreparedQuery(statementName(text), text, values, parserOf, settle, leading))
}

/** The error if it broke the connection. Undefined for other errors: a statement that PostgreSQL refuses leaves the connection usable. */
export function connectionError(error: unknown): Error | undefined {
  const isRefusal = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
  return error && !isRefusal ? (error as Error) : undefined
}

export interface DatabaseOptions {
  url: string
  connectionsMax?: number
  statementTimeoutMs?: number
  onError?: (error: Error) => void
  /** Shared by databases whose connections one request may need; by default each database has its own. */
  guard?: ConnectionGuard
  /** Called after each transaction, and each WRITE outside of one, that has committed. */
  onCommit?: () => void
}

/** Role and settings of the connections of a pool. */
interface SessionOptions {
  readonly role?: string
  readonly settings?: Readonly<Record<string, string>>
  /** Runs once on each new connection, before its first statement. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>
}

export const connectionsMaxDefault = 10

export class Database implements Sql {
  readonly open = false
  readonly pool: pg.Pool
  readonly guard: ConnectionGuard
  readonly onCommit: (() => void) | undefined

  constructor(options: DatabaseOptions, { role, settings = {}, onConnect }: SessionOptions = {}) {
    this.guard = options.guard ?? connectionGuard()
    this.onCommit = options.onCommit
    const { url, connectionsMax = connectionsMaxDefault, statementTimeoutMs = 30_000, onError } = options
    this.pool = new pg.Pool({
      Client: RowClient as never,
      // Only tenants' requests are limited; jobs and operators may read rows of any size.
      ...(role && { rowBytesMax }),
      connectionString: url,
      max: connectionsMax,
      types,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 60_000,
      options: [
        '-c timezone=UTC',
        `-c statement_timeout=${statementTimeoutMs}`,
        '-c idle_in_transaction_session_timeout=60000',
        ...(role ? [`-c role=${role}`] : []),
        ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
      ].join(' '),
      ...(onConnect && { onConnect }),
    })
    // An idle connection that breaks must not end the process; the next query opens another one.
    // pool.end() resolves before its connections are closed, so a server that stops right after it still breaks some of them.
    this.pool.on('error', (error) => {
      if (!this.pool.ending) onError?.(error)
    })
    // A connection that breaks in use rejects its query; without a listener, its error event would end the process.
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  query<R = Row>(text: string, values: readonly unknown[] = [], kind: StatementKind = 'LOOKUP'): Promise<R[]> {
    const tracing = activeTracing()
    return tracing
      ? inStatementSpan(tracing, text, () => this.#query<R>(text, values, kind))
      : this.#query<R>(text, values, kind)
  }

  #query<R>(text: string, values: readonly unknown[], kind: StatementKind): Promise<R[]> {
    return new Promise((resolve, reject) => {
      this.guard.refuseNested()
      this.pool.connect((unreachable, client, release) => {
        if (!client) return reject(unreachable)
        const settle: Settle = (error, rows) => {
          release(connectionError(error))
          if (error) return reject(error)
          if (kind === 'WRITE') this.onCommit?.()
          resolve(rows as R[])
        }
        try {
          run(client, text, values, settle)
        } catch (error) {
          settle(error, [])
        }
      })
    })
  }

  byId(text: string, values: readonly unknown[], id: string): Promise<Row | null> {
    return firstOf(this.query(text, [...values, [id]]))
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.guard.refuseNested()
    const transaction = new Transaction(await this.pool.connect(), ...(options?.mayBeLost ? [withoutDisk] : []))
    const result = await transaction.run(() => this.guard.insideTransaction(() => work(transaction)))
    if (options?.hasEvents?.() !== false) this.onCommit?.()
    return result
  }

  async close(): Promise<void> {
    await this.pool.end()
  }
}

const firstOf = async (rows: Promise<Row[]>): Promise<Row | null> => (await rows)[0] ?? null

/** A statement without values that is not prepared. */
const command = (text: string): LeadingStatement => ({ name: '', text, values: [] })

const withoutDisk = command('set local synchronous_commit = off')

/** A transaction on a connection. Its begin and its savepoints are sent in front of the next statement, so they need no round trip. */
export class Transaction implements Sql {
  readonly open = true
  /** What is sent in front of the next statement. */
  #leading: LeadingStatement[]
  #hasBegun = false
  #depth = 0

  constructor(
    private readonly client: pg.PoolClient,
    ...settings: LeadingStatement[]
  ) {
    this.#leading = [command('begin'), ...settings]
  }

  query<R = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.queryWithSettings<R>(text, values, null)
  }

  byId(text: string, values: readonly unknown[], id: string): Promise<Row | null> {
    return firstOf(this.query(text, [...values, [id]]))
  }

  protected queryWithSettings<R>(
    text: string,
    values: readonly unknown[],
    settings: LeadingStatement | null,
  ): Promise<R[]> {
    const tracing = activeTracing()
    return tracing
      ? inStatementSpan(tracing, text, () => this.#query<R>(text, values, settings))
      : this.#query<R>(text, values, settings)
  }

  #query<R>(text: string, values: readonly unknown[], settings: LeadingStatement | null): Promise<R[]> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (error, rows) => (error ? reject(error) : resolve(rows as R[]))
      run(this.client, text, values, settle, settings ? [...this.#leading, settings] : this.#leading)
      this.#leading = []
      this.#hasBegun = true
    })
  }

  /** Runs `work` as the whole transaction: commits, or rolls back when it throws, and releases the connection. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let broken: Error | undefined
    try {
      const result = await work()
      if (this.#hasBegun) await this.client.query('commit')
      return result
    } catch (error) {
      if (this.#hasBegun)
        await this.client.query('rollback').catch((failure: unknown) => {
          broken = failure as Error
        })
      throw error
    } finally {
      this.client.release(broken)
    }
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const name = `level_${++this.#depth}`
    const savepoint = command(`savepoint ${name}`)
    this.#leading.push(savepoint)
    try {
      const result = await work(this)
      // The end of a savepoint also ends those that were set after it.
      if (!this.#takeBack(savepoint)) this.#leading = [command(`release savepoint ${name}`)]
      return result
    } catch (error) {
      if (!this.#takeBack(savepoint)) {
        this.#leading = []
        await this.client.query(`rollback to savepoint ${name}`)
      }
      throw error
    }
  }

  /** Removes a savepoint and what follows it, if they have not been sent. */
  #takeBack(savepoint: LeadingStatement): boolean {
    const index = this.#leading.indexOf(savepoint)
    if (index >= 0) this.#leading.length = index
    return index >= 0
  }
}
