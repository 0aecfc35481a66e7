import { newId } from '../ids.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Services } from '../request.ts'
import { servicesFor } from '../services-for.ts'
import { recordOutcome } from './lease.ts'
import type { Attempted, Queue, QueuedItem } from './queue.ts'

const togetherMax = 128

interface Waiting<Item extends QueuedItem> extends PromiseWithResolvers<unknown> {
  readonly attempted: Attempted<Item>
}

/** Records outcomes. With `Queue.record`, outcomes that arrive during a transaction are recorded together in the next one. */
export class OutcomeRecorder<Item extends QueuedItem> {
  readonly #waiting: Waiting<Item>[] = []
  #isRecording = false

  constructor(
    private readonly queue: Queue<Item>,
    private readonly services: Services,
  ) {}

  /** Resolves when the outcome is recorded. If that fails, the item is attempted again when its lease ends. */
  add(attempted: Attempted<Item>): Promise<unknown> {
    const { queue, services } = this
    const { item, outcome, waitMs } = attempted
    if (!queue.record) return recordOutcome(services.database, queue, item, outcome, waitMs)
    const waiting = { attempted, ...Promise.withResolvers<unknown>() }
    this.#waiting.push(waiting)
    if (!this.#isRecording) void this.#recordAll()
    return waiting.promise
  }

  async #recordAll(): Promise<void> {
    this.#isRecording = true
    while (this.#waiting.length > 0) {
      await nextTurn()
      await this.#recordTogether(this.#waiting.splice(0, togetherMax))
    }
    this.#isRecording = false
  }

  /** An outcome that cannot be recorded must not take the others with it: then each one is recorded in a transaction of its own. */
  async #recordTogether(batch: readonly Waiting<Item>[]): Promise<void> {
    const record = (some: readonly Waiting<Item>[]) =>
      this.queue.record!(
        servicesFor(this.services, `${this.queue.name}/${newId()}`),
        some.map(({ attempted }) => attempted),
      )
    try {
      await record(batch)
      for (const { resolve } of batch) resolve(undefined)
    } catch (error) {
      if (batch.length === 1) return batch[0]!.reject(error)
      for (const each of batch) await record([each]).then(each.resolve, each.reject)
    }
  }
}
