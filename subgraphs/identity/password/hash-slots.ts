import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'

const waitingMax = 200

class Slots {
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(private readonly runningMax: number) {}

  async acquire(): Promise<void> {
    if (this.#running < this.runningMax) this.#running++
    else if (this.#waiting.length >= waitingMax) {
      throw new Refusal('UNAVAILABLE', 'Too many people are signing in at the same time; retry in 1 s.', {
        retryAfter: 1,
      })
    } else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}

const slots = new Slots(2)
/** Separate slots for work that holds a connection while it waits. With shared slots, work in a slot could wait for a connection that waiting work holds. */
const slotsInTransactions = new Slots(1)

/**
 * Runs work that hashes a password. Each hash uses one core for tens of milliseconds and 19 MB. Therefore few run at the same time,
 * and work is refused when too many are waiting, so that other requests are still served. Pass the context of the work: inside a
 * transaction, the work must query only through the transaction's connection.
 */
export async function inHashSlot<T>(work: () => Promise<T>, { db }: { readonly db: Pick<Sql, 'open'> }): Promise<T> {
  const taken = db.open ? slotsInTransactions : slots
  await taken.acquire()
  try {
    return await work()
  } finally {
    taken.release()
  }
}
