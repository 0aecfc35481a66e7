import type { Services } from '../../kernel/request.ts'
import { countHits } from './count-hits.ts'

const everyMs = 250

/** Counts opens and clicks soon after they were stored. Runs in every worker. */
export class HitCounter {
  readonly #timer: NodeJS.Timeout
  readonly #closing = new AbortController()
  #after: string | null = null
  #round: Promise<void> | null = null

  constructor(private readonly services: Services) {
    this.#timer = setInterval(() => this.#next(), everyMs)
  }

  /** Waits for the transaction that is open. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#round
  }

  #next(): void {
    this.#round ??= this.#count()
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'opens and clicks could not be counted'))
      .finally(() => (this.#round = null))
  }

  async #count(): Promise<void> {
    this.#after = await countHits(this.services, this.#after, this.#closing.signal)
  }
}
