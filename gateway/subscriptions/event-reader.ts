import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { EventChannel } from './event-channel.ts'
import type { EventMatch } from './event-match.ts'
import { Signal } from './signal.ts'

/** Events of one read. */
const batch = 20

export interface EventReaderOptions {
  readonly channel: EventChannel
  /** The position after which events are sent. */
  readonly after: number
  /** A reader that was at the end of the log ends when it is further behind. */
  readonly behindMax: number
  currentCaller(): Caller | Promise<Caller>
  readonly cancellation: Cancellation
}

/** Reads an event log for one subscription. It keeps a position and no events, so a slow client needs no memory. */
export abstract class EventReader {
  /** Notified of a new event, of the end of the credential, and of the cancellation. */
  readonly #signal = new Signal()
  #refusal: Refusal | null = null
  #after: number
  #hasBeenLive = false

  constructor(
    private readonly reading: EventReaderOptions,
    private readonly match: EventMatch,
  ) {
    this.#after = reading.after
    reading.cancellation.add({ cancel: this.notify })
  }

  readonly notify = (): void => this.#signal.notify()

  /** Ends the subscription if its credential is no longer valid. */
  readonly recheck = async (): Promise<void> => {
    try {
      await this.reading.currentCaller()
    } catch (thrown) {
      // An unreachable database does not mean that the credential is invalid.
      if (!endsCredential(thrown)) return
      this.#refusal = thrown
      this.notify()
    }
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { channel, cancellation } = this.reading
    while (!cancellation.isCancelled) {
      this.#refuse()
      const { events, position } = await channel.next(this.#after, batch, this.match)
      const caller = events.length > 0 ? await this.reading.currentCaller() : null
      for (const event of events) {
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
      await this.#signal.wait()
    }
  }

  /** The result to send for an event; null to send nothing. Throws a `Refusal` to end the subscription. */
  protected abstract resultOf(event: LoggedEvent, caller: Caller): GraphResult | null | Promise<GraphResult | null>

  protected isLast(_event: LoggedEvent): boolean {
    return false
  }

  #refuse(): void {
    if (this.#refusal) throw this.#refusal
    const { channel, behindMax } = this.reading
    if (!this.#hasBeenLive || channel.eventsAfter(this.#after) <= behindMax) return
    const message = `The subscription was more than ${behindMax} events behind, because its client reads too slowly. Subscribe again with \`after: "${this.#after}"\`.`
    throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message, { limit: behindMax, cursor: String(this.#after) })
  }
}
