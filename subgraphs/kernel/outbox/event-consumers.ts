import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { consumeNext } from './consume-events.ts'
import type { EventConsumer } from './event-consumer.ts'

/** Polling finds events whose notification was missed, those of a killed process, and failed events that are due again. */
const pollMs = 5_000
/** Organizations that one consumer works on at the same time in one process. */
const organizationsMax = 2

/** Runs event consumers: woken by the relay, within milliseconds of a commit. Any number of processes may run them. */
export class EventConsumers {
  readonly #readers: readonly Reader[]
  readonly #timer: NodeJS.Timeout
  readonly #listeners: Listener[] = []

  private constructor(services: Services, consumers: readonly EventConsumer[]) {
    this.#readers = consumers.map((consumer) => new Reader(services, consumer))
    this.#timer = setInterval(() => this.#poll(), pollMs)
  }

  static async start(
    services: Services,
    databaseUrl: string,
    consumers: readonly EventConsumer[],
  ): Promise<EventConsumers> {
    const running = new EventConsumers(services, consumers)
    const wake = (organizationIds: string): void => {
      const ids = organizationIds.split(',')
      for (const reader of running.#readers) reader.wake(ids)
    }
    const listen = (channel: string, onMessage: (payload: string) => void) =>
      Listener.open(databaseUrl, channel, onMessage, services.log, () => running.#poll())
    running.#listeners.push(await listen('events_logged', wake))
    for (const reader of running.#readers) {
      if (reader.channel) running.#listeners.push(await listen(reader.channel, (id) => reader.subscribe(id)))
    }
    return running
  }

  /** Starts no further batch, and waits for the running ones. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const listener of this.#listeners) await listener.close()
    await Promise.all(this.#readers.map((reader) => reader.close()))
  }

  #poll(): void {
    for (const reader of this.#readers) void reader.poll()
  }
}

/** One consumer in one process. Organizations get one batch each in turn, so that a long log of one does not delay the others. */
class Reader {
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  /** The organizations that are read; null: all. */
  #subscribers: ReadonlySet<string> | null
  #gathering: NodeJS.Timeout | undefined
  #polling: Promise<void> | null = null
  #isClosed = false

  constructor(
    private readonly services: Services,
    private readonly consumer: EventConsumer,
  ) {
    this.#subscribers = consumer.subscribers ? new Set() : null
  }

  get channel(): string | null {
    return this.consumer.subscribers?.channel ?? null
  }

  /** Reads the events of one more organization. */
  subscribe(organizationId: string): void {
    if (this.#subscribers) this.#subscribers = new Set(this.#subscribers).add(organizationId)
    this.wake([organizationId])
  }

  wake(organizationIds: readonly string[]): void {
    for (const id of organizationIds) if (this.#subscribers?.has(id) ?? true) this.#waiting.add(id)
    if (this.#waiting.size === 0) return
    const { gatherMs } = this.consumer
    if (gatherMs === 0) this.#startWaiting()
    else {
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined
        this.#startWaiting()
      }, gatherMs)
    }
  }

  /** Finds the organizations with unread events. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => (this.#polling = null))
    return this.#polling
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#gathering)
    await this.#polling
    await Promise.all(this.#running.values())
  }

  async #poll(): Promise<void> {
    const { subscribers } = this.consumer
    try {
      if (subscribers) await this.#readSubscribers(subscribers.table)
      const among = subscribers
        ? `${subscribers.table} s join kernel.event_head h using (organization_id)`
        : 'kernel.event_head h'
      const rows = await this.services.database.query<{ id: string }>(
        `select h.organization_id as id from ${among}
         left join kernel.event_consumer c on c.organization_id = h.organization_id and c.name = $1
         where h.position > coalesce(c.position, 0) and coalesce(c.retry_at <= statement_timestamp(), true)`,
        [this.consumer.name],
      )
      for (const { id } of rows) this.#waiting.add(id)
      this.#startWaiting()
    } catch (error) {
      this.#warn(error)
    }
  }

  async #readSubscribers(table: string): Promise<void> {
    const rows = await this.services.database.query<{ id: string }>(`select organization_id as id from ${table}`)
    this.#subscribers = new Set(rows.map(({ id }) => id))
  }

  #startWaiting(): void {
    for (const organizationId of this.#waiting) {
      if (this.#isClosed || this.#running.size >= organizationsMax) return
      if (this.#running.has(organizationId)) continue
      this.#waiting.delete(organizationId)
      const ended = this.#consumeNext(organizationId).finally(() => {
        this.#running.delete(organizationId)
        this.#startWaiting()
      })
      this.#running.set(organizationId, ended)
    }
  }

  async #consumeNext(organizationId: string): Promise<void> {
    try {
      // Consumers read shapes and extensions inside of their transaction.
      await this.services.shapes.load(organizationId)
      const hasMore = await consumeNext(this.services, this.consumer, organizationId)
      if (hasMore) this.#waiting.add(organizationId)
    } catch (error) {
      // The database is not available: the next poll tries again.
      this.#warn(error)
    }
  }

  #warn(error: unknown): void {
    this.services.log.warn({ err: error, consumer: this.consumer.name }, 'events could not be consumed; trying again')
  }
}
