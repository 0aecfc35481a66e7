import type { Logger } from 'pino'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import type { StreamSlots } from '../edge/stream-slots.ts'
import type { Graph, GraphResult } from '../graph/graph.ts'
import { CancellableGenerator } from './cancellable-generator.ts'
import { EventChannels } from './event-channels.ts'
import { Projections } from './projection.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies, SubscriptionRequest } from './source.ts'
import { subscriptionCallOf } from './subscription-call.ts'

export interface SubscriptionsOptions {
  readonly graph: Pick<Graph, 'apiSchema' | 'mayIntrospect' | 'authorize' | 'prepareAsync' | 'execute'>
  readonly events: EventFeed
  readonly slots: Pick<StreamSlots, 'take'>
  readonly log: Pick<Logger, 'warn'>
  /** What opens the subscriptions of each root field. */
  readonly sources: (dependencies: SourceDependencies) => Readonly<Record<string, OpenSubscription>>
  /** The interval in which the credential of each subscriber is checked, also without events. */
  readonly recheckMs?: number
  /** How many events a subscription may be behind before it is ended. */
  readonly behindMax?: number
}

/** How long subscriptions may take to end when the server stops. */
const stoppingMs = 1_000

/** All live subscriptions of this process. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #sources: Readonly<Record<string, OpenSubscription>>
  readonly #live = new Set<OpenedSubscription>()
  readonly #recheck: NodeJS.Timeout

  constructor(options: SubscriptionsOptions) {
    const { graph, events, log, behindMax = 10_000 } = options
    this.#options = options
    const channels = new EventChannels(events, log)
    const projections = new Projections(graph.apiSchema)
    this.#sources = options.sources({ graph, events, channels, projections, behindMax })
    this.#recheck = setInterval(() => this.#live.forEach((one) => void one.recheck()), options.recheckMs ?? 2_000)
    this.#recheck.unref()
  }

  /** The number of live subscriptions. */
  get count(): number {
    return this.#live.size
  }

  /**
   * Rejects with a `Refusal` if the caller may not subscribe or there are too many subscriptions. The returned generator must be
   * iterated or returned. It throws a `Refusal` when the credential of the subscriber is no longer valid.
   */
  async open(request: SubscriptionRequest): Promise<AsyncGenerator<GraphResult>> {
    const { graph, slots } = this.#options
    const { prepared, caller, cancellation } = request
    const releaseSlot = slots.take(caller.organizationId)
    try {
      const variables = prepared.coerced(request.variables, graph.mayIntrospect(caller))
      const call = subscriptionCallOf(graph.apiSchema, request, variables)
      const open = this.#sources[call.name]
      if (!open) throw new Refusal('OPERATION_RESOLUTION_FAILURE', 'The schema has no such subscription.')
      const opened = await open(call, request)
      this.#live.add(opened)
      return new CancellableGenerator(opened.results, cancellation, () => {
        this.#live.delete(opened)
        opened.leave()
        releaseSlot()
        request.onEnd?.()
      })
    } catch (thrown) {
      releaseSlot()
      throw thrown
    }
  }

  /** Lets subscriptions that send a last message do so; the transports end the others. */
  async close(): Promise<void> {
    clearInterval(this.#recheck)
    const stopping = [...this.#live].filter(({ stop }) => stop)
    for (const one of stopping) one.stop!()
    const deadline = Date.now() + stoppingMs
    while (stopping.some((one) => this.#live.has(one)) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
