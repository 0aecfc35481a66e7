import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { rowsTooLarge } from '../answer-size.ts'
import '../compiled-code.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { noteBytes } from './row-bytes.ts'

export type Row = Record<string, unknown>

type Texts = readonly (string | null)[]
type RowOf = (texts: Texts) => Row
type Parser = (text: string) => unknown

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** What a submitted query uses of pg's connection. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; destroy(): void }
  /** How many bytes of rows a statement may have here; without it, any. */
  readonly rowBytesMax?: number | undefined
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(bound: { readonly statement: string; readonly values: readonly unknown[] }): void
  describe(portal: { readonly type: 'P' }): void
  execute(): void
  close(statement: { readonly type: 'S'; readonly name: string }): void
  sync(): void
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils
const { BPCHAR, CHAR, TEXT, UUID, VARCHAR } = pg.types.builtins
const plainText: ReadonlySet<number> = new Set([BPCHAR, CHAR, TEXT, UUID, VARCHAR])

/** Clients choose columns, so there are more shapes than anybody will ask for. */
const shapes = new LRUCache<string, RowOf>({ max: 2000 })
const prepared = new WeakMap<Connection, PreparedStatements<RowOf>>()

function preparedOn(connection: Connection): PreparedStatements<RowOf> {
  let statements = prepared.get(connection)
  if (!statements) prepared.set(connection, (statements = new PreparedStatements()))
  return statements
}

/**
 * One object literal with every column, made of the texts of a row: what V8 does fastest. The names are those of columns and
 * aliases in our own statements.
 */
function shapeOf(fields: readonly Field[], parserOf: (oid: number) => Parser): RowOf {
  const signature = JSON.stringify(fields.map(({ name, dataTypeID }) => [name, dataTypeID]))
  let shape = shapes.get(signature)
  if (!shape) {
    const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID))
    const entries = fields.map(({ name, dataTypeID }, index) => {
      const text = `texts[${index}]`
      const value = plainText.has(dataTypeID) ? text : `${text} === null ? null : parsers[${index}](${text})`
      // In a literal this one key would set the prototype.
      if (name === '__proto__') throw new Error('No column of an answer may be called __proto__.')
      return `${JSON.stringify(name)}: ${value}`
    })
    // oxlint-disable-next-line typescript/no-implied-eval
    shape = (new Function('parsers', `return (texts) => ({ ${entries.join(', ')} })`) as (of: Parser[]) => RowOf)(
      parsers,
    )
    shapes.set(signature, shape)
  }
  return shape
}

/** What is run in front of a statement, in one implicit transaction with it: settings for it alone. Prepared on the connection. */
export interface Introduction {
  readonly name: string
  readonly text: string
  readonly values: string[]
}

/**
 * A statement, prepared when it has a name, as pg's client takes it. pg describes the columns of every answer anew; here a connection hears of them
 * when it first runs a statement, and rows are made by a function compiled for them.
 */
export class PreparedQuery implements pg.Submittable {
  private readonly values: readonly unknown[]
  private rowOf: RowOf | undefined
  private rows: Row[] = []
  private bytes = 0
  private bytesMax = Infinity
  private failure: unknown = null
  private connection: Connection | null = null
  /** The answer of the introduction comes first and is nobody's row. */
  private isIntroduced: boolean

  constructor(
    readonly name: string,
    readonly text: string,
    values: readonly unknown[],
    private readonly parserOf: (oid: number) => Parser,
    private readonly done: (error: unknown, rows: Row[]) => void,
    private readonly introduction: Introduction | null,
  ) {
    this.isIntroduced = introduction === null
    this.values = values.map(prepareValue)
  }

  submit(of: unknown): void {
    const connection = (this.connection = of as Connection)
    const { name, text } = this
    this.bytesMax = connection.rowBytesMax ?? Infinity
    const known = name ? preparedOn(connection).get(name) : undefined
    this.rowOf = known?.rowOf
    connection.stream.cork()
    if (name && !known) this.prepare(connection)
    if (this.introduction !== null) {
      // Both run before one sync, so in one implicit transaction: the settings end with it and cost no round trip.
      connection.bind({ statement: this.introduction.name, values: this.introduction.values })
      connection.execute()
    }
    if (!name || connection.parsedStatements[name] === undefined) {
      connection.parse({ name, text })
      if (name) connection.submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values: this.values })
    if (!this.rowOf) connection.describe({ type: 'P' })
    connection.execute()
    connection.sync()
    connection.stream.uncork()
  }

  /** Closes what has to make room. PostgreSQL closes what it does not know without an error. */
  private prepare(connection: Connection): void {
    for (const name of preparedOn(connection).add(this.name, this.text)) {
      connection.close({ type: 'S', name })
      delete connection.parsedStatements[name]
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.rowOf = shapeOf(fields, this.parserOf)
    const known = this.name ? preparedOn(this.connection!).get(this.name) : undefined
    if (known) known.rowOf = this.rowOf
  }

  handleDataRow({ fields, length }: { readonly fields: Texts; readonly length: number }): void {
    if (!this.isIntroduced || this.failure) return
    this.bytes += length
    if (this.bytes > this.bytesMax) return this.stop()
    try {
      this.rows.push(this.rowOf!(fields))
    } catch (error) {
      this.failure ??= error
    }
  }

  handleCommandComplete(): void {
    this.isIntroduced = true
  }

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.done(this.failure ?? error, [])
  }

  handleReadyForQuery(): void {
    noteBytes(this.rows, this.bytes)
    this.done(this.failure, this.rows)
  }

  /** PostgreSQL sends to the end: only without a connection does it let the rest be. */
  private stop(): void {
    this.failure = rowsTooLarge()
    this.rows = []
    this.connection!.stream.destroy()
  }
}
