import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { noOrganization } from './lease.ts'
import type { Queue } from './queue.ts'
import { queueChannel } from './queue-table.ts'
import { attemptDueItems } from './attempt-due-items.ts'

/** Polling finds due retries, items of a dead process, and items that were queued while the LISTEN connection was lost. */
const pollMs = 5_000

/** Attempts the items of queues, as soon as they are queued. Runs in every worker process. */
export class QueueWorker {
  readonly #wakes = new Map<string, (() => void)[]>()
  readonly #timer: NodeJS.Timeout
  readonly #slots: Promise<void>[] = []
  #listener: Listener | null = null
  #isStopping = false

  private constructor(
    private readonly services: Services,
    queues: readonly Queue[],
  ) {
    for (const queue of queues) this.#start(queue)
    this.#timer = setInterval(() => this.#wakeAll(), pollMs)
  }

  static async start(services: Services, databaseUrl: string, queues: readonly Queue[]): Promise<QueueWorker> {
    const worker = new QueueWorker(services, queues)
    const wake = (name: string): void => worker.#wake(name)
    worker.#listener = await Listener.open(databaseUrl, queueChannel, wake, services.log, () => worker.#wakeAll())
    return worker
  }

  /** Starts no further attempts, and waits for the running ones. */
  async close(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#listener?.close()
    this.#wakeAll()
    await Promise.all(this.#slots)
  }

  #start(queue: Queue): void {
    const lastServed = { organization: noOrganization }
    const wakes: (() => void)[] = []
    this.#wakes.set(queue.name, wakes)
    for (const lane of ['fresh', 'retry'] as const) {
      for (let slot = 0; slot < queue.lanes[lane]; slot++) {
        const signal = new WakeSignal()
        wakes.push(signal.wake)
        const work = () => attemptDueItems(queue, this.services, lane, lastServed, () => this.#isStopping)
        this.#slots.push(this.#keepWorking(queue.name, signal, work))
      }
    }
  }

  async #keepWorking(queue: string, signal: WakeSignal, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      await work().catch((error: unknown) =>
        this.services.log.warn({ err: error, queue }, 'leasing or recording an item failed'),
      )
      if (!this.#isStopping) await signal.woken()
    }
  }

  #wake(name: string): void {
    for (const wake of this.#wakes.get(name) ?? []) wake()
  }

  #wakeAll(): void {
    for (const name of this.#wakes.keys()) this.#wake(name)
  }
}

/** Wakes one waiting slot. A wake that comes while the slot works is kept for its next wait. */
class WakeSignal {
  #woken = Promise.withResolvers<void>()

  readonly wake = (): void => this.#woken.resolve()

  async woken(): Promise<void> {
    await this.#woken.promise
    this.#woken = Promise.withResolvers()
  }
}
