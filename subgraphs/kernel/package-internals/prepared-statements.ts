import { LRUCache } from 'lru-cache'

interface Prepared<RowFactory> {
  /** Builds the rows of the statement; undefined until it has run once. */
  rowFactory: RowFactory | undefined
}

/** Estimated memory of a prepared statement and its plan in PostgreSQL: 95 kB for a wide list, 200 kB with a hundred conditions. */
const statementBytes = 30_000
const characterBytes = 50
const connectionBytesMax = 24_000_000

/** The prepared statements of one connection (least recently used ones are evicted). */
export class PreparedStatements<RowFactory> {
  readonly #dropped: string[] = []
  readonly #kept = new LRUCache<string, Prepared<RowFactory>>({
    maxSize: connectionBytesMax,
    dispose: (_statement, name, reason) => {
      if (reason === 'evict') this.#dropped.push(name)
    },
  })

  get(name: string): Prepared<RowFactory> | undefined {
    return this.#kept.get(name)
  }

  /** Registers a statement, and returns the names of evicted statements that the connection must close. */
  add(name: string, text: string): readonly string[] {
    this.#kept.set(name, { rowFactory: undefined }, { size: statementBytes + characterBytes * text.length })
    return this.#dropped.splice(0)
  }
}
