import { LRUCache } from 'lru-cache'

const bytesMax = 16_000_000
/** Memory of an entry without its text. */
const entryBytes = 500

/** The cache of automatic persisted queries for Apollo Server, by hash. Apollo's own cache counts only the text and not the overhead. */
export class PersistedQueries {
  readonly #documents = new LRUCache<string, string>({ maxSize: bytesMax })

  async get(hash: string): Promise<string | undefined> {
    return this.#documents.get(hash)
  }

  async set(hash: string, document: string): Promise<void> {
    this.#documents.set(hash, document, { size: entryBytes + 2 * document.length })
  }

  async delete(hash: string): Promise<boolean> {
    return this.#documents.delete(hash)
  }

  get bytes(): number {
    return this.#documents.calculatedSize
  }
}
