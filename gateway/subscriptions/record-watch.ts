import type { Logger } from 'pino'
import type { EventFeed, EventSelection, LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'

/** The number of events in one read. */
const batch = 100
/** The number of latest events of an organization that are cached for all its subscriptions. */
const cachedMax = 200
const retryMs = 1_000

/** An event without its payload. */
export type EventHeader = Pick<LoggedEvent, 'position' | 'type' | 'object' | 'recordId'>

/** The event log of one organization that has subscriptions. */
interface WatchedLog {
  /** The listeners of each record, by object and id. */
  readonly listeners: Map<string, Set<() => void>>
  /** Stops the notifications of the event feed. */
  stop: () => void
  /** The position of the last event that was read; null until the end of the log is known. */
  position: number | null
  /** All events after `cachedAfter`, in order. */
  cached: EventHeader[]
  cachedAfter: number
  isReading: boolean
  /** The feed gave notice of new events after the current read began. */
  hasNewEvents: boolean
}

/**
 * Notifies the subscriptions of a record about its events. Each process reads the event log of an organization once for all its
 * subscriptions; each subscription then reads the data of an event itself.
 */
export class RecordWatch {
  readonly #logs = new Map<string, WatchedLog>()

  constructor(
    private readonly events: EventFeed,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Calls `notify` soon after each event of the record, and sometimes without an event, until the returned function is called. */
  watch(organizationId: string, object: string, recordId: string, notify: () => void): () => void {
    const watched = this.#logs.get(organizationId) ?? this.#watchLog(organizationId)
    const key = keyOf(object, recordId)
    const listeners = watched.listeners.get(key) ?? new Set()
    watched.listeners.set(key, listeners.add(notify))
    if (watched.position === null) void this.#read(organizationId, watched)
    return () => {
      listeners.delete(notify)
      if (listeners.size === 0) watched.listeners.delete(key)
      if (watched.listeners.size > 0 || this.#logs.get(organizationId) !== watched) return
      this.#logs.delete(organizationId)
      watched.stop()
    }
  }

  /** The next events of a record, at most `limit`, in order. */
  async next(
    organizationId: string,
    { after, limit, object, recordId }: Required<EventSelection>,
  ): Promise<readonly EventHeader[]> {
    const watched = this.#logs.get(organizationId)
    if (!watched || watched.position === null || after < watched.cachedAfter) {
      return this.events.read(organizationId, { after, limit, object, recordId })
    }
    return watched.cached
      .filter((event) => event.position > after && event.recordId === recordId && event.object === object)
      .slice(0, limit)
  }

  #watchLog(organizationId: string): WatchedLog {
    const watched: WatchedLog = {
      listeners: new Map(),
      stop: () => {},
      position: null,
      cached: [],
      cachedAfter: 0,
      isReading: false,
      hasNewEvents: false,
    }
    this.#logs.set(organizationId, watched)
    watched.stop = this.events.watch(organizationId, () => void this.#read(organizationId, watched))
    return watched
  }

  async #read(organizationId: string, watched: WatchedLog): Promise<void> {
    watched.hasNewEvents = true
    if (watched.isReading) return
    watched.isReading = true
    try {
      while (watched.hasNewEvents && watched.listeners.size > 0) {
        watched.hasNewEvents = false
        await this.#readBatch(organizationId, watched)
      }
    } catch (err) {
      this.log.warn({ err }, `events for subscriptions could not be read; retry in ${retryMs} ms`)
      setTimeout(() => void this.#read(organizationId, watched), retryMs).unref()
    } finally {
      watched.isReading = false
    }
  }

  async #readBatch(organizationId: string, watched: WatchedLog): Promise<void> {
    if (watched.position === null) {
      watched.position = watched.cachedAfter = await this.events.latest(organizationId)
      // A subscription that began during this read may have missed an event, so all of them check.
      for (const listeners of watched.listeners.values()) for (const notify of listeners) notify()
      return
    }
    const events = await this.events.read(organizationId, { after: watched.position, limit: batch })
    for (const { position, type, object, recordId } of events) {
      watched.position = position
      watched.cached.push({ position, type, object, recordId })
      for (const notify of watched.listeners.get(keyOf(object, recordId)) ?? []) notify()
    }
    const dropped = watched.cached.splice(0, watched.cached.length - cachedMax)
    watched.cachedAfter = dropped.at(-1)?.position ?? watched.cachedAfter
    if (events.length === batch) watched.hasNewEvents = true
  }
}

const keyOf = (object: string, recordId: string): string => `${object} ${recordId}`
