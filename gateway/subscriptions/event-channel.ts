import type { Logger } from 'pino'
import type { EventFeed, LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { isTurnOver, nextTurn } from '../../subgraphs/kernel/work/turn.ts'
import { topics, type EventMatch } from './event-match.ts'
import { unitsOfEvent } from './event-units.ts'

export interface ChannelLimits {
  /** Latest events of one organization that are held in memory. */
  readonly events: number
  /** Their size, about one unit for each character of their JSON. */
  readonly units: number
  /** The size of the events of all organizations. */
  readonly unitsOfAll: number
  /** Positions that one read of a reader that is behind passes. */
  readonly window: number
}

export interface EventBatch {
  readonly events: readonly LoggedEvent[]
  /** Every event up to this position was read. */
  readonly position: number
}

/** Events of one read for all readers. The first read is small, because events may be large; the next ones are as large as `units` allows. */
const batch = { first: 20, most: 500, units: 2_000_000 }
const retryMs = 1_000

interface HeldEvent {
  readonly event: LoggedEvent
  readonly units: number
}

/** The event log of one organization that has readers: it holds the latest events, and reads older ones for readers that are behind. */
export class EventChannel {
  /** Position of the last event that was read; null until the end of the log is known. */
  #position: number | null = null
  readonly #known = Promise.withResolvers<void>()
  /** All events after `#heldAfter`, in order. */
  #held: HeldEvent[] = []
  #heldAfter = 0
  #units = 0
  #batch = batch.first
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #stop: () => void
  #isClosed = false
  #isReading = false
  #hasNews = false

  constructor(
    private readonly organizationId: string,
    private readonly events: EventFeed,
    private readonly limits: ChannelLimits,
    private readonly heldByAll: { units: number },
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    this.#stop = events.watch(organizationId, () => void this.#read())
    void this.#read()
  }

  get hasReaders(): boolean {
    return this.#listeners.size > 0
  }

  /** How many events the log has after a position. The positions of one organization have no gaps. */
  eventsAfter(position: number): number {
    return (this.#position ?? position) - position
  }

  /** Calls `notify` after each read with an event of these topics; the reader then asks for the next events. Returns what ends this. */
  join(names: readonly string[], notify: () => void): () => void {
    for (const name of names) {
      const listeners = this.#listeners.get(name) ?? new Set()
      this.#listeners.set(name, listeners.add(notify))
    }
    return () => {
      for (const name of names) {
        const listeners = this.#listeners.get(name)
        listeners?.delete(notify)
        if (listeners?.size === 0) this.#listeners.delete(name)
      }
    }
  }

  /**
   * The next matching events after a position, at most `limit`, and the position up to which they were searched: from memory, or from the database for a
   * reader that is behind, a limited part at a time. There may be none though more events follow; the reader is at the end of the log when
   * `eventsAfter(position)` is 0.
   */
  async next(after: number, limit: number, match: EventMatch): Promise<EventBatch> {
    await this.#known.promise
    if (isTurnOver()) await nextTurn(this.organizationId)
    const end = this.#position ?? after
    if (after >= end) return { events: [], position: after }
    if (after >= this.#heldAfter) return this.#nextHeld(after, limit, match)
    // A record has an index; other reads pass a limited part of the log at a time.
    const upTo = match.selection.recordId === undefined ? Math.min(end, after + this.limits.window) : end
    const events = await this.events.read(this.organizationId, { after, upTo, limit, ...match.selection })
    const wanted: LoggedEvent[] = []
    for (const event of events) {
      if (isTurnOver()) await nextTurn(this.organizationId)
      if (match.matches(event)) wanted.push(event)
    }
    return { events: wanted, position: events.length < limit ? upTo : events.at(-1)!.position }
  }

  close(): void {
    this.#isClosed = true
    this.#stop()
    this.heldByAll.units -= this.#units
    this.#known.resolve()
  }

  #nextHeld(after: number, limit: number, match: EventMatch): EventBatch {
    const events: LoggedEvent[] = []
    for (let index = this.#indexAfter(after); index < this.#held.length; index++) {
      const { event } = this.#held[index]!
      if (match.matches(event)) events.push(event)
      if (events.length === limit || isTurnOver()) return { events, position: event.position }
    }
    return { events, position: this.#position! }
  }

  #indexAfter(position: number): number {
    let low = 0
    let high = this.#held.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#held[middle]!.event.position > position) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Reads until the log has nothing new. A wake-up during a read sets `#hasNews` again, and a failed read is repeated, so no event is missed. */
  async #read(): Promise<void> {
    this.#hasNews = true
    if (this.#isReading || this.#isClosed) return
    this.#isReading = true
    try {
      while (this.#hasNews && !this.#isClosed) {
        this.#hasNews = false
        await this.#readBatch()
      }
    } catch (err) {
      // The next read may succeed with fewer events.
      this.#batch = Math.max(1, this.#batch >> 1)
      this.log.warn({ err }, `events for live readers could not be read; retry in ${retryMs} ms`)
      setTimeout(() => void this.#read(), retryMs).unref()
    } finally {
      this.#isReading = false
    }
  }

  async #readBatch(): Promise<void> {
    if (this.#position === null) {
      this.#position = this.#heldAfter = await this.events.latest(this.organizationId)
      this.#known.resolve()
      // A reader that joined during this read may have missed an event, so all of them check.
      for (const listeners of this.#listeners.values()) for (const notify of listeners) notify()
      return
    }
    const limit = this.#batch
    const events = await this.events.read(this.organizationId, { after: this.#position, limit })
    if (this.#isClosed) return
    const toNotify = new Set<() => void>()
    let units = 0
    for (const event of events) {
      units += this.#hold(event)
      for (const notify of this.#listenersOf(event)) toNotify.add(notify)
    }
    this.#drop()
    for (const notify of toNotify) notify()
    if (events.length < limit) return
    this.#hasNews = true
    this.#batch = Math.max(1, Math.min(batch.most, 2 * limit, Math.floor((batch.units * limit) / units)))
  }

  *#listenersOf({ object, recordId }: LoggedEvent): Generator<() => void> {
    yield* this.#listeners.get(topics.all) ?? []
    yield* this.#listeners.get(topics.ofObject(object)) ?? []
    yield* this.#listeners.get(topics.ofRecord(object, recordId)) ?? []
  }

  #hold(event: LoggedEvent): number {
    const units = unitsOfEvent(event)
    this.#position = event.position
    this.#held.push({ event, units })
    this.#count(units)
    return units
  }

  /** Drops the oldest events beyond the limits. */
  #drop(): void {
    const { events, units, unitsOfAll } = this.limits
    let dropped = 0
    for (const held of this.#held) {
      const isWithin =
        this.#held.length - dropped <= events && this.#units <= units && this.heldByAll.units <= unitsOfAll
      if (isWithin) break
      this.#heldAfter = held.event.position
      this.#count(-held.units)
      dropped++
    }
    if (dropped > 0) this.#held.splice(0, dropped)
  }

  #count(units: number): void {
    this.#units += units
    this.heldByAll.units += units
  }
}
