import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { lanes, lanesDue } from './due-lanes.ts'
import { LaneWorker } from './lane-worker.ts'
import type { Lane, Queue, QueuedItem } from './queue.ts'
import { queueChannel } from './queue-table.ts'

/** All lanes are polled this often, with one statement. Polling finds due retries, items of a dead process, and items that were queued while the LISTEN connection was lost. */
const pollMs = 2_000

/** Attempts the items of queues, as soon as they are queued. Runs in every worker process. */
export class QueueWorker {
  readonly #lanes = new Map<string, Readonly<Record<Lane, LaneWorker<QueuedItem>>>>()
  readonly #allLanes: readonly LaneWorker<QueuedItem>[]
  readonly #timer: NodeJS.Timeout
  readonly #ended: readonly Promise<void>[]
  #polling: Promise<void> | null = null
  #listener: Listener | null = null

  private constructor(
    private readonly services: Services,
    private readonly queues: readonly Queue[],
  ) {
    const laneOf = (queue: Queue, lane: Lane) => new LaneWorker(queue, services, lane)
    for (const queue of queues)
      this.#lanes.set(queue.name, { fresh: laneOf(queue, 'fresh'), retry: laneOf(queue, 'retry') })
    this.#allLanes = [...this.#lanes.values()].flatMap((of) => lanes.map((lane) => of[lane]))
    this.#ended = this.#allLanes.map((lane) => lane.run())
    this.#timer = setInterval(() => this.#poll(), pollMs)
  }

  static async start(services: Services, databaseUrl: string, queues: readonly Queue[]): Promise<QueueWorker> {
    const worker = new QueueWorker(services, queues)
    // New items are fresh; retries are found by polling.
    const wake = (name: string): void => worker.#lanes.get(name)?.fresh.wake()
    worker.#listener = await Listener.open(databaseUrl, queueChannel, wake, services.log, () => worker.#wakeAll())
    return worker
  }

  /** Starts no further attempts, and waits for the running ones. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#polling
    await this.#listener?.close()
    for (const lane of this.#allLanes) lane.stop()
    await Promise.all(this.#ended)
  }

  #poll(): void {
    this.#polling ??= this.#wakeDue()
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'due items could not be looked for'))
      .finally(() => (this.#polling = null))
  }

  async #wakeDue(): Promise<void> {
    const due = await lanesDue(this.services.database, this.queues)
    for (const [index, { name }] of this.queues.entries())
      for (const lane of due[index]!) this.#lanes.get(name)![lane].wake()
  }

  #wakeAll(): void {
    for (const lane of this.#allLanes) lane.wake()
  }
}
