import type { Logger } from 'pino'
import type { Sql } from '../database/sql.ts'

/** Events of one statement. Many, because a long snapshot (of a backup, say) keeps taken rows in the way of each statement. */
const batch = 5_000
/** Between two batches, so that under load one takes many events. */
const paceMs = 20
/** Finds what a process committed that was killed before it could wake its relay. */
const pollMs = 1_000

/**
 * Gives positions to committed events. Every process has one, which its own commits wake: NOTIFY in the transaction of the
 * writer would make all commits of the server wait for each other. The database lets one relay work at a time.
 */
export class EventRelay {
  #isWoken = false
  #isClosed = false
  #isFailing = false
  #endPause: (() => void) | null = null
  #ended: Promise<void> = Promise.resolve()

  constructor(
    private readonly database: Sql,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.#ended = this.#run()
  }

  /** Something was committed: there may be events without a position. */
  readonly wake = (): void => {
    this.#isWoken = true
    this.#endPause?.()
  }

  /** Lets the batch that runs finish. Another process, or the next start, finds the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#endPause?.()
    await this.#ended
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false
      const assigned = await this.#assign()
      if (assigned > 0) await this.#pause(paceMs, () => this.#isClosed)
      if (assigned < batch) await this.#pause(pollMs, () => this.#isClosed || this.#isWoken)
    }
  }

  async #assign(): Promise<number> {
    try {
      const [row] = await this.database.query<{ assigned: number }>(
        'select kernel.assign_event_positions($1) as assigned',
        [batch],
      )
      this.#isFailing = false
      return row!.assigned
    } catch (error) {
      if (!this.#isFailing) this.log.warn({ err: error }, 'events get no positions; trying again')
      this.#isFailing = true
      // A wake cannot help now.
      await this.#pause(pollMs, () => this.#isClosed)
      return 0
    }
  }

  /** Ends when the time is over, or as soon as `isOver` says so. */
  #pause(ms: number, isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#endPause = null
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#endPause = () => isOver() && end()
    })
  }
}
