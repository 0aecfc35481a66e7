import type { Sql } from '../../kernel/database/database.ts'
import { Refusal } from '../../kernel/errors.ts'

const waitingMax = 200

class Slots {
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(private readonly runningMax: number) {}

  async take(): Promise<void> {
    if (this.#running < this.runningMax) this.#running++
    else if (this.#waiting.length >= waitingMax) {
      throw new Refusal('UNAVAILABLE', 'Too many people are signing in at once; try again.', { retryAfter: 1 })
    } else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  free(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}

const slots = new Slots(2)
/** Whoever waits here holds a connection. The others in a slot may need one, and would be waited for by those who hold all. */
const slotsInTransactions = new Slots(1)

/**
 * Runs work that hashes a password. Each hash takes a core for tens of milliseconds and 19 MB: few run at once, whoever comes
 * when many wait is sent away, and all other requests keep being served. Work that may run inside a transaction says so by its
 * context, and queries nothing but the transaction's connection.
 */
export async function inHashSlot<T>(work: () => Promise<T>, { db }: { readonly db: Pick<Sql, 'open'> }): Promise<T> {
  const taken = db.open ? slotsInTransactions : slots
  await taken.take()
  try {
    return await work()
  } finally {
    taken.free()
  }
}
