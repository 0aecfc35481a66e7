import { LRUCache } from 'lru-cache'

interface Prepared<RowOf> {
  /** How its rows are read; unknown until it has run once. */
  rowOf: RowOf | undefined
}

/** What PostgreSQL keeps of a statement on a connection, its plan included: 95 kB for a wide list, 200 kB with a hundred conditions. */
const statementBytes = 30_000
const characterBytes = 50
const connectionBytesMax = 24_000_000

/** The statements that one connection has prepared, those that ran of late. */
export class PreparedStatements<RowOf> {
  readonly #dropped: string[] = []
  readonly #kept = new LRUCache<string, Prepared<RowOf>>({
    maxSize: connectionBytesMax,
    dispose: (_statement, name, reason) => {
      if (reason === 'evict') this.#dropped.push(name)
    },
  })

  get(name: string): Prepared<RowOf> | undefined {
    return this.#kept.get(name)
  }

  /** Notes a statement, and gives the names of those that the connection must close to make room for it. */
  add(name: string, text: string): readonly string[] {
    this.#kept.set(name, { rowOf: undefined }, { size: statementBytes + characterBytes * text.length })
    return this.#dropped.splice(0)
  }
}
