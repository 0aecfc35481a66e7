import type { Services } from '../../kernel/request.ts'
import { countHits } from './count-hits.ts'

const everyMs = 250

/** Counts opens and clicks soon after they were stored. Runs in every worker. */
export class HitCounter {
  readonly #timer: NodeJS.Timeout
  #round: Promise<void> | null = null

  constructor(private readonly services: Services) {
    this.#timer = setInterval(() => this.#next(), everyMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round
  }

  #next(): void {
    this.#round ??= countHits(this.services)
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'opens and clicks could not be counted'))
      .finally(() => (this.#round = null))
  }
}
