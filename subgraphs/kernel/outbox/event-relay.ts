import type { Logger } from 'pino'
import type { Sql } from '../database/sql.ts'

/** Maximum events of one statement. Large, because each statement must skip the dead rows that an old snapshot, such as a backup, keeps. */
const batch = 5_000
/** Pause after a batch, so that under load each batch takes many events. */
const pauseAfterBatchMs = 15
/** Polling finds events of a process that was killed between its commit and the wake of its relay. */
const pollMs = 1_000

/**
 * Assigns positions to committed events. Every process has a relay, which is woken by the commits of the process itself, because
 * NOTIFY in the transaction of the writer would serialize all commits of the server. An advisory lock lets one relay work at a time.
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

  /** Call it after a commit: there may be events without a position. */
  readonly wake = (): void => {
    this.#isWoken = true
    this.#endPause?.()
  }

  /** Waits for the running batch. Another process, or the next start, assigns the remaining positions. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#endPause?.()
    await this.#ended
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false
      const assigned = await this.#assign()
      if (assigned > 0) await this.#pause(pauseAfterBatchMs, () => this.#isClosed)
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
      if (!this.#isFailing)
        this.log.warn({ err: error }, 'event positions could not be assigned; retrying every second')
      this.#isFailing = true
      // A wake must not shorten this pause, because the database has just failed.
      await this.#pause(pollMs, () => this.#isClosed)
      return 0
    }
  }

  /** Resolves after `ms`, or at a wake for which `isOver` is true. */
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
