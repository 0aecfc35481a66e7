import type { Cancellable } from '../cancellation.ts'
import { Refusal } from '../errors.ts'
import { recordedRowBytes, recordRowBytes } from './row-bytes.ts'
import type { Row } from './sql.ts'
import type { SharedOperation } from './shared-pool.ts'
import { clientLeft, SharedStatement } from './shared-statement.ts'

/** Maximum records that one statement reads. */
export const idsMax = 64

interface Lookup {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/**
 * Reads single records by id. Lookups of one turn of the event loop, and lookups that wait for a connection, share one statement when
 * organization, text and values are the same and only the ids differ: then the same rows are visible to each of them, whoever asks.
 * A round trip to PostgreSQL costs more CPU than the rest of such a request.
 */
export class SharedLookups {
  /** Batches whose statement has not started, by the text of the statement. */
  readonly #waiting = new Map<string, LookupBatch[]>()

  byId(operation: SharedOperation, text: string, values: readonly unknown[], id: string): Promise<Row | null> {
    const { cancellation } = operation
    if (cancellation?.isCancelled) return Promise.reject(clientLeft())
    return new Promise((resolve, reject) => {
      const batches = this.#waiting.get(text)
      let batch = batches?.find((candidate) => candidate.accepts(operation, values, id))
      if (!batch) {
        batch = new LookupBatch(operation, text, values, (started) => this.#remove(started))
        if (batches) batches.push(batch)
        else this.#waiting.set(text, [batch])
        setImmediate(() => batch!.begin())
      }
      const joined = batch
      const leaving: Cancellable = { cancel: () => joined.leave(id) }
      cancellation?.add(leaving)
      const end = (): void => cancellation?.delete(leaving)
      batch.add(id, {
        resolve: (row) => (end(), resolve(row)),
        reject: (error) => (end(), reject(error as Error)),
      })
    })
  }

  #remove(batch: LookupBatch): void {
    const batches = this.#waiting.get(batch.text)
    const index = batches ? batches.indexOf(batch) : -1
    if (index < 0) return
    if (batches!.length === 1) this.#waiting.delete(batch.text)
    else batches!.splice(index, 1)
  }
}

/** One statement, and the lookups that it answers. */
class LookupBatch extends SharedStatement {
  readonly #ids: string[]
  readonly #lookups: Map<string, Lookup>

  constructor(
    operation: SharedOperation,
    text: string,
    private readonly shared: readonly unknown[],
    private readonly closed: (batch: LookupBatch) => void,
    lookups = new Map<string, Lookup>(),
  ) {
    const ids = [...lookups.keys()]
    const resolve = (rows: Row[]): void => this.#answer(rows)
    const reject = (error: unknown): void => this.#fail(error)
    // One client that leaves must not cancel the lookups of the others: see `leave`.
    super(operation, text, [...shared, ids], 'LOOKUP', resolve, reject, null)
    this.#ids = ids
    this.#lookups = lookups
  }

  accepts({ tenant }: SharedOperation, values: readonly unknown[], id: string): boolean {
    return (
      tenant === this.tenant &&
      this.#ids.length < idsMax &&
      // Two requests must not get the same object.
      !this.#lookups.has(id) &&
      values.length === this.shared.length &&
      values.every((value, index) => isSame(value, this.shared[index]))
    )
  }

  add(id: string, lookup: Lookup): void {
    this.#ids.push(id)
    this.#lookups.set(id, lookup)
  }

  /** The client of this lookup has left. When all clients have left, the statement is cancelled. */
  leave(id: string): void {
    this.#take(id)?.reject(clientLeft())
    if (this.#lookups.size > 0) return
    this.closed(this)
    this.cancel()
  }

  override begin(): void {
    if (this.#lookups.size > 0) super.begin()
  }

  override start(): void {
    this.closed(this)
    super.start()
  }

  #answer(rows: readonly Row[]): void {
    const bytes = recordedRowBytes(rows) / rows.length
    for (const row of rows) {
      recordRowBytes(row, bytes)
      this.#take(row.id as string)?.resolve(row)
    }
    for (const lookup of this.#lookups.values()) lookup.resolve(null)
  }

  #take(id: string): Lookup | undefined {
    const lookup = this.#lookups.get(id)
    this.#lookups.delete(id)
    return lookup
  }

  #fail(error: unknown): void {
    this.closed(this)
    const isTooLarge = error instanceof Refusal && error.code === 'ANSWER_TOO_LARGE'
    for (const [id, lookup] of this.#lookups) {
      // Each record fits alone; only together they are too large.
      if (isTooLarge && this.#ids.length > 1)
        new LookupBatch(this.operation, this.text, this.shared, this.closed, new Map([[id, lookup]])).begin()
      else lookup.reject(error)
    }
  }
}

/** Lists, such as the ids of visible owners, are the same object for all requests of one credential while it is cached. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, index) => item === other[index]))
