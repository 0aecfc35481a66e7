import type pg from 'pg'
import type { LeadingStatement } from './prepared-query.ts'

/** The parts of pg's internal connection that a submitted stream uses. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; pause(): void; resume(): void }
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(bound: { readonly statement: string; readonly values: readonly unknown[] }): void
  execute(): void
  sync(): void
}

/** Whole lines, as they arrived. */
export interface Lines {
  readonly bytes: Buffer
  readonly count: number
}

/** Bytes that wait to be read. Above it, the connection pauses, and so does PostgreSQL when the buffers between them are full. */
const waitingBytesMax = 1_000_000
/** Bytes of a batch. PostgreSQL sends a few kilobytes at a time, and passing each of them on would take more time than making them. */
const batchBytes = 131_072

/**
 * The lines of a `copy … to stdout`, for pg's client, while they arrive. At most about a megabyte waits in memory, whatever the number of rows. PostgreSQL ends
 * a line with a newline; each line gets `lineEnd` instead.
 */
export class CopyStream implements pg.Submittable {
  #connection: Connection | null = null
  readonly #full: Lines[] = []
  #batch = Buffer.allocUnsafe(batchBytes)
  #bytes = 0
  #count = 0
  #isPaused = false
  #hasEnded = false
  #failure: unknown = null
  #wake: () => void = () => undefined
  readonly #lineEnd: Buffer

  constructor(
    readonly text: string,
    lineEnd: string,
    private readonly leading: readonly LeadingStatement[],
  ) {
    this.#lineEnd = Buffer.from(lineEnd)
  }

  submit(of: unknown): void {
    const connection = (this.#connection = of as Connection)
    connection.stream.cork()
    for (const { text, values } of [...this.leading, { text: this.text, values: [] }]) {
      connection.parse({ name: '', text })
      connection.bind({ statement: '', values })
      connection.execute()
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription(): void {}

  /** A row of a leading statement. */
  handleDataRow(): void {}

  /** A line with its newline. Its bytes are copied, because the next read of the connection replaces them. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const length = chunk.length - 1
    const needed = length + this.#lineEnd.length
    if (this.#bytes + needed > this.#batch.length) this.#finishBatch(needed)
    chunk.copy(this.#batch, this.#bytes, 0, length)
    this.#lineEnd.copy(this.#batch, this.#bytes + length)
    this.#bytes += needed
    this.#count++
  }

  #finishBatch(needed: number): void {
    if (this.#count > 0) this.#full.push({ bytes: this.#batch.subarray(0, this.#bytes), count: this.#count })
    this.#batch = Buffer.allocUnsafe(Math.max(batchBytes, needed))
    this.#bytes = 0
    this.#count = 0
    const waiting = this.#full.reduce((sum, { bytes }) => sum + bytes.length, 0)
    // Also when it is paused: the client resumes its connection between large amounts of data.
    if (waiting >= waitingBytesMax) {
      this.#isPaused = true
      this.#connection!.stream.pause()
    }
    this.#wake()
  }

  handleCommandComplete(): void {}

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
    this.#finishBatch(0)
  }

  /** The lines in batches, while they arrive. Throws the error of the statement. */
  async *batches(): AsyncGenerator<Lines> {
    for (;;) {
      if (this.#failure) throw this.#failure
      const next = this.#full.shift()
      if (next) yield next
      else {
        // Also at the end: a paused connection does not close.
        this.#resume()
        if (this.#hasEnded) return
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    }
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#connection!.stream.resume()
  }
}
