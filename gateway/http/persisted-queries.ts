import { LRUCache } from 'lru-cache'

const bytesMax = 16_000_000
/** What an entry takes beside its text. */
const entryBytes = 500

/** Documents of automatic persisted queries by their hash, as Apollo Server asks for them: its own cache counts the texts alone. */
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
