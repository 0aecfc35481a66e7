import type { Services } from '../request.ts'
import { attemptItem } from './attempt-item.ts'
import { leaseOldest, undoLease, type LeasedItems } from './lease.ts'
import { leaseShares, newLaneState } from './lease-shares.ts'
import { OutcomeRecorder } from './outcome-recorder.ts'
import { AttemptNotBegun, type Attempted, type Lane, type Leased, type Queue, type QueuedItem } from './queue.ts'

/** Most items of one lease. */
const togetherMax = 128
/** While more items wait, the next lease begins when half of the slots are free, or after this time. */
const collectSlotsMs = 10

/** Leases and attempts the items of one lane, as many at the same time as the lane has slots. */
export class LaneWorker<Item extends QueuedItem> {
  readonly #slots: number
  readonly #state = newLaneState()
  readonly #recorder: OutcomeRecorder<Item>
  /** Slots that running attempts use. */
  #running = 0
  /** Leased items whose outcome is not recorded yet. */
  #open = 0
  #isWoken = true
  #mayHaveMore = false
  #isStopping = false
  /** It may wait for further free slots. */
  #isCollecting = false
  #signal = Promise.withResolvers<void>()

  constructor(
    private readonly queue: Queue<Item>,
    private readonly services: Services,
    private readonly lane: Lane,
  ) {
    this.#slots = queue.lanes[lane]
    this.#recorder = new OutcomeRecorder(queue, services)
  }

  /** There may be due items. */
  readonly wake = (): void => {
    this.#isWoken = true
    this.#signal.resolve()
  }

  /** Starts no further attempts. */
  stop(): void {
    this.#isStopping = true
    this.#signal.resolve()
  }

  /** Works until it is stopped and the running attempts have ended. */
  async run(): Promise<void> {
    while (!this.#isStopping || this.#open > 0) {
      await this.#leaseWhileUseful()
      await this.#nextSignal()
    }
  }

  /** Works until no item of the lane can be leased and no attempt is running. */
  async drain(): Promise<void> {
    this.#isWoken = true
    let before: number
    do {
      // Attempts that end during a lease that finds no free share: the next one may find some.
      before = this.#open
      await this.#leaseWhileUseful()
      if (this.#open > 0) await this.#nextSignal()
    } while (this.#open > 0 || this.#isWoken || (this.#mayHaveMore && before > 0))
  }

  async #leaseWhileUseful(): Promise<void> {
    while (!this.#isStopping && this.#free() > 0 && (this.#isWoken || this.#mayHaveMore)) {
      this.#isWoken = false
      const { items, mayHaveMore } = await this.#lease().catch((error: unknown): LeasedItems<Item> => {
        this.services.log.warn({ err: error, queue: this.queue.name }, 'leasing items failed')
        return { items: [], mayHaveMore: false }
      })
      this.#mayHaveMore = mayHaveMore
      for (const item of items) void this.#attempt(item)
      // Nothing could be leased: the organizations or keys that have items must wait until one of their attempts ends.
      if (items.length === 0) return
    }
  }

  #lease(): Promise<LeasedItems<Item>> {
    const { queue, lane } = this
    const { database } = this.services
    const free = this.#free()
    const count = Math.min(free, togetherMax)
    return queue.shares
      ? leaseShares(database, queue, lane, count, this.#state, free)
      : leaseOldest(database, queue, lane, count)
  }

  /** Free slots. While as many outcomes as there are slots wait for their record, nothing is leased: that many are repeated if the process dies. */
  #free(): number {
    return Math.min(this.#slots - this.#running, 2 * this.#slots - this.#open)
  }

  async #attempt(item: Leased<Item>): Promise<void> {
    this.#open++
    try {
      await this.#inSlot(item).then(
        (attempted) => this.#recorder.add(attempted),
        (error: unknown) => this.#undo(item, error),
      )
    } catch (error) {
      this.services.log.warn(
        { err: error, queue: this.queue.name },
        'an attempt or its record failed; it is repeated, at the latest after its lease',
      )
    }
    this.#open--
    this.#signal.resolve()
  }

  /** An attempt that could not begin is not counted. */
  async #undo(item: Leased<Item>, error: unknown): Promise<void> {
    if (error instanceof AttemptNotBegun) await undoLease(this.services.database, this.queue, item)
    throw error
  }

  /** The slot is free again when the attempt has ended, so that further attempts run while its outcome is recorded. */
  async #inSlot(item: Leased<Item>): Promise<Attempted<Item>> {
    this.#count(item, 1)
    try {
      return await attemptItem(this.queue, this.services, item)
    } finally {
      this.#count(item, -1)
      this.#signal.resolve()
    }
  }

  #count({ organization, slots = 1 }: Leased<Item>, direction: 1 | -1): void {
    const change = direction * slots
    this.#running += change
    if (organization === undefined) return
    const running = (this.#state.running.get(organization) ?? 0) + change
    if (running > 0) this.#state.running.set(organization, running)
    else this.#state.running.delete(organization)
  }

  /** Waits for a wake or an attempt that ended. After the latter, it waits for some more, so that leases take many items. */
  async #nextSignal(): Promise<void> {
    await this.#signalled()
    if (!this.#isEarly()) return
    this.#isCollecting = true
    const timer = setTimeout(() => {
      this.#isCollecting = false
      this.#signal.resolve()
    }, collectSlotsMs)
    while (this.#isCollecting && this.#isEarly()) await this.#signalled()
    clearTimeout(timer)
  }

  #isEarly(): boolean {
    return !this.#isWoken && !this.#isStopping && this.#running > this.#slots / 2
  }

  async #signalled(): Promise<void> {
    await this.#signal.promise
    this.#signal = Promise.withResolvers()
  }
}
