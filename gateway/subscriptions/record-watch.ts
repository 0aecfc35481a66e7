import type { Logger } from 'pino'
import type { EventFeed, EventSelection, LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'

/** Events that are read at once, and the latest ones that are kept for all who follow them. */
const batch = 100
const keptMax = 200
const retryMs = 1_000

/** What is kept of an event. */
export type EventPlace = Pick<LoggedEvent, 'position' | 'type' | 'object' | 'recordId'>

/** One organization whose events somebody follows. */
interface Followed {
  readonly watchers: Map<string, Set<() => void>>
  stop: () => void
  /** Null until it is known where the log stands. */
  position: number | null
  /** The latest events: all of them behind `keptAfter`. */
  kept: EventPlace[]
  keptAfter: number
  isReading: boolean
  /** Something was written while it was being read. */
  isStale: boolean
}

/**
 * Wakes whoever follows one record. The log of an organization is read once in each process for all who follow its records; what
 * they then tell of an event is read by each of them.
 */
export class RecordWatch {
  readonly #followed = new Map<string, Followed>()

  constructor(
    private readonly events: EventFeed,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Calls `wake` soon after each event of the record, sometimes for nothing. Ends with the function that it gives. */
  watch(organizationId: string, object: string, recordId: string, wake: () => void): () => void {
    const followed = this.#followed.get(organizationId) ?? this.#follow(organizationId)
    const name = `${object} ${recordId}`
    const watchers = followed.watchers.get(name) ?? new Set()
    followed.watchers.set(name, watchers.add(wake))
    if (followed.position === null) void this.#read(organizationId, followed)
    return () => {
      watchers.delete(wake)
      if (watchers.size === 0) followed.watchers.delete(name)
      if (followed.watchers.size > 0 || this.#followed.get(organizationId) !== followed) return
      this.#followed.delete(organizationId)
      followed.stop()
    }
  }

  /** The next events of a record, at most `limit`, in order. */
  async next(
    organizationId: string,
    { after, limit, object, recordId }: Required<EventSelection>,
  ): Promise<readonly EventPlace[]> {
    const followed = this.#followed.get(organizationId)
    if (!followed || followed.position === null || after < followed.keptAfter) {
      return this.events.read(organizationId, { after, limit, object, recordId })
    }
    return followed.kept
      .filter((event) => event.position > after && event.recordId === recordId && event.object === object)
      .slice(0, limit)
  }

  #follow(organizationId: string): Followed {
    const followed: Followed = {
      watchers: new Map(),
      stop: () => {},
      position: null,
      kept: [],
      keptAfter: 0,
      isReading: false,
      isStale: false,
    }
    this.#followed.set(organizationId, followed)
    followed.stop = this.events.watch(organizationId, () => void this.#read(organizationId, followed))
    return followed
  }

  async #read(organizationId: string, followed: Followed): Promise<void> {
    followed.isStale = true
    if (followed.isReading) return
    followed.isReading = true
    try {
      while (followed.isStale && followed.watchers.size > 0) {
        followed.isStale = false
        await this.#readOn(organizationId, followed)
      }
    } catch (err) {
      this.log.warn({ err }, 'events could not be read for subscriptions; trying again')
      setTimeout(() => void this.#read(organizationId, followed), retryMs).unref()
    } finally {
      followed.isReading = false
    }
  }

  async #readOn(organizationId: string, followed: Followed): Promise<void> {
    if (followed.position === null) {
      followed.position = followed.keptAfter = await this.events.latest(organizationId)
      // Whoever began to follow meanwhile may have missed something.
      for (const watchers of followed.watchers.values()) for (const wake of watchers) wake()
      return
    }
    const events = await this.events.read(organizationId, { after: followed.position, limit: batch })
    for (const { position, type, object, recordId } of events) {
      followed.position = position
      followed.kept.push({ position, type, object, recordId })
      for (const wake of followed.watchers.get(`${object} ${recordId}`) ?? []) wake()
    }
    const outdated = followed.kept.splice(0, followed.kept.length - keptMax)
    followed.keptAfter = outdated.at(-1)?.position ?? followed.keptAfter
    if (events.length === batch) followed.isStale = true
  }
}
