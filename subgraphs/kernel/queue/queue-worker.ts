import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { LaneWorker } from './lane-worker.ts'
import type { Queue, QueuedItem } from './queue.ts'
import { queueChannel } from './queue-table.ts'

/** Each lane is polled this often. Polling finds due retries, items of a dead process, and items that were queued while the LISTEN connection was lost. */
const pollMs = 2_000

/** Attempts the items of queues, as soon as they are queued. Runs in every worker process. */
export class QueueWorker {
  readonly #lanes = new Map<string, readonly LaneWorker<QueuedItem>[]>()
  readonly #allLanes: readonly LaneWorker<QueuedItem>[]
  readonly #timer: NodeJS.Timeout
  readonly #ended: Promise<void>[] = []
  #listener: Listener | null = null

  private constructor(services: Services, queues: readonly Queue[]) {
    for (const queue of queues) {
      const lanes = (['fresh', 'retry'] as const).map((lane) => new LaneWorker(queue, services, lane))
      this.#lanes.set(queue.name, lanes)
      this.#ended.push(...lanes.map((lane) => lane.run()))
    }
    this.#allLanes = [...this.#lanes.values()].flat()
    let polled = 0
    // One after another: all lanes together would need every connection of the process at the same moment.
    const pollNext = (): void => this.#allLanes[polled++ % this.#allLanes.length]?.wake()
    this.#timer = setInterval(pollNext, pollMs / this.#allLanes.length)
  }

  static async start(services: Services, databaseUrl: string, queues: readonly Queue[]): Promise<QueueWorker> {
    const worker = new QueueWorker(services, queues)
    // New items are fresh; retries are found by polling.
    const wake = (name: string): void => worker.#lanes.get(name)?.[0]?.wake()
    worker.#listener = await Listener.open(databaseUrl, queueChannel, wake, services.log, () => worker.#wakeAll())
    return worker
  }

  /** Starts no further attempts, and waits for the running ones. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener?.close()
    for (const lane of this.#allLanes) lane.stop()
    await Promise.all(this.#ended)
  }

  #wakeAll(): void {
    for (const lane of this.#allLanes) lane.wake()
  }
}
