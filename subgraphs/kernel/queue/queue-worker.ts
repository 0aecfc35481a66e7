import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { firstTurn } from './lease.ts'
import type { Queue } from './queue.ts'
import { queueChannel } from './queue-table.ts'
import { workThrough } from './work-through.ts'

/** Finds what is tried again, what a dead process held, and what was queued while the connection that listens was lost. */
const pollMs = 5_000

/** Works on queues: at once when an item was queued. Belongs to every process that works on jobs. */
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

  /** Begins no attempt, and lets those that run finish. */
  async close(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#listener?.close()
    this.#wakeAll()
    await Promise.all(this.#slots)
  }

  #start(queue: Queue): void {
    const turn = { organization: firstTurn }
    const wakes: (() => void)[] = []
    this.#wakes.set(queue.name, wakes)
    for (const lane of ['fresh', 'retry'] as const) {
      for (let slot = 0; slot < queue.lanes[lane]; slot++) {
        const bell = new Bell()
        wakes.push(bell.ring)
        const work = () => workThrough(queue, this.services, lane, turn, () => this.#isStopping)
        this.#slots.push(this.#keepWorking(queue.name, bell, work))
      }
    }
  }

  async #keepWorking(queue: string, bell: Bell, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      await work().catch((error: unknown) =>
        this.services.log.warn({ err: error, queue }, 'a queue was not looked after'),
      )
      if (!this.#isStopping) await bell.rung()
    }
  }

  #wake(name: string): void {
    for (const wake of this.#wakes.get(name) ?? []) wake()
  }

  #wakeAll(): void {
    for (const name of this.#wakes.keys()) this.#wake(name)
  }
}

/** Remembers that it was rung while nobody waited. */
class Bell {
  #rung = Promise.withResolvers<void>()

  readonly ring = (): void => this.#rung.resolve()

  async rung(): Promise<void> {
    await this.#rung.promise
    this.#rung = Promise.withResolvers()
  }
}
