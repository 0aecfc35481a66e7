import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { isTurnOver, nextTurn } from '../../subgraphs/kernel/work/turn.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { EventChannel } from './event-channel.ts'
import type { EventMatch } from './event-match.ts'
import { Wakeup, type WakeupOptions } from './wakeup.ts'

/** Events of one read. */
const batch = 20

export interface EventReaderOptions extends WakeupOptions {
  readonly channel: EventChannel
  /** The position after which events are sent. */
  readonly after: number
  /** A reader that was at the end of the log ends when it is further behind. */
  readonly behindMax: number
}

/** Reads an event log for one subscription. It keeps a position and no events, so a slow client needs no memory. */
export abstract class EventReader {
  readonly #wakeup: Wakeup
  #after: number
  #hasBeenLive = false

  constructor(
    private readonly reading: EventReaderOptions,
    private readonly match: EventMatch,
  ) {
    this.#after = reading.after
    this.#wakeup = new Wakeup(reading)
  }

  get notify(): () => void {
    return this.#wakeup.notify
  }

  get recheck(): () => Promise<void> {
    return this.#wakeup.recheck
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { channel, cancellation } = this.reading
    while (!cancellation.isCancelled) {
      this.#refuse()
      const { events, position } = await channel.next(this.#after, batch, this.match)
      const caller = events.length > 0 ? await this.reading.currentCaller() : null
      for (const event of events) {
        if (isTurnOver()) await nextTurn(caller!.organizationId)
        const result = await this.resultOf(event, caller!)
        if (cancellation.isCancelled) return
        this.#after = event.position
        if (!result) continue
        yield result
        if (this.isLast(event)) return
        this.#refuse()
      }
      this.#after = position
      if (channel.eventsAfter(position) > 0) continue
      this.#hasBeenLive = true
      await this.#wakeup.wait()
    }
  }

  /** The result to send for an event; null to send nothing. Throws a `Refusal` to end the subscription. */
  protected abstract resultOf(event: LoggedEvent, caller: Caller): GraphResult | null | Promise<GraphResult | null>

  protected isLast(_event: LoggedEvent): boolean {
    return false
  }

  #refuse(): void {
    this.#wakeup.requireCredential()
    const { channel, behindMax } = this.reading
    if (!this.#hasBeenLive || channel.eventsAfter(this.#after) <= behindMax) return
    const message = `The subscription was more than ${behindMax} events behind, because its client reads too slowly. Subscribe again with \`after: "${this.#after}"\`.`
    throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message, { limit: behindMax, cursor: String(this.#after) })
  }
}
