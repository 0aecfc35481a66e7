import type pg from 'pg'
import { parameterOf } from './parameter.ts'
import type { LeadingStatement } from './prepared-query.ts'

/** The parts of pg's internal connection that a submitted stream uses. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; pause(): void; resume(): void }
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(bound: { readonly statement: string; readonly values: readonly unknown[] }): void
  execute(): void
  sync(): void
}

/** Bytes of texts that wait to be read. Above it, the connection pauses, and so does PostgreSQL when the buffers between them are full. */
const waitingBytesMax = 1_000_000
/** Bytes of a batch. PostgreSQL sends a few kilobytes at a time, and passing each of them on would take more time than making them. */
const batchBytes = 131_072

/**
 * The texts of a statement with one column, for pg's client, while they arrive: pg collects all rows of a statement before it returns the first one.
 * At most about a megabyte waits in memory, whatever the number of rows.
 */
export class TextStream implements pg.Submittable {
  #connection: Connection | null = null
  #texts: string[] = []
  #bytes = 0
  #isPaused = false
  #hasEnded = false
  #failure: unknown = null
  #wake: () => void = () => undefined
  /** Leading statements that have not ended: the next rows belong to them. */
  #leadingCount: number
  readonly #values: readonly unknown[]

  constructor(
    readonly text: string,
    values: readonly unknown[],
    private readonly leading: readonly LeadingStatement[],
  ) {
    this.#leadingCount = leading.length
    this.#values = values.map(parameterOf)
  }

  submit(of: unknown): void {
    const connection = (this.#connection = of as Connection)
    connection.stream.cork()
    for (const { text, values } of [...this.leading, { text: this.text, values: this.#values }]) {
      connection.parse({ name: '', text })
      connection.bind({ statement: '', values })
      connection.execute()
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription(): void {}

  handleDataRow({ fields, length }: { readonly fields: readonly (string | null)[]; readonly length: number }): void {
    if (this.#leadingCount > 0) return
    this.#texts.push(fields[0] ?? '')
    this.#bytes += length
    if (this.#bytes >= waitingBytesMax) {
      this.#isPaused = true
      this.#connection!.stream.pause()
    }
    this.#wake()
  }

  handleCommandComplete(): void {
    this.#leadingCount--
  }

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.#failure ??= error
    this.#end()
  }

  handleReadyForQuery(): void {
    this.#end()
  }

  #end(): void {
    this.#hasEnded = true
    this.#wake()
  }

  /** The texts in batches, while they arrive. Throws the error of the statement. */
  async *batches(): AsyncGenerator<readonly string[]> {
    for (;;) {
      if (this.#failure) throw this.#failure
      if (this.#bytes >= batchBytes || (this.#hasEnded && this.#texts.length > 0)) {
        const texts = this.#texts
        this.#texts = []
        this.#bytes = 0
        if (this.#isPaused) {
          this.#isPaused = false
          this.#connection!.stream.resume()
        }
        yield texts
      } else if (this.#hasEnded) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
