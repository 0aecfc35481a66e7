import type { GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { isErrorCode, Refusal } from '../../subgraphs/kernel/errors.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import type { StreamSlots } from '../edge/stream-slots.ts'
import type { Graph, GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import type { Variables } from '../graph/variable-values.ts'
import { CancellableGenerator } from './cancellable-generator.ts'
import { changeQueryOf, type ChangeQuery } from './change-query.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { RecordWatch, type EventHeader } from './record-watch.ts'
import { Signal } from './signal.ts'

export interface SubscriptionsOptions {
  readonly graph: Pick<Graph, 'apiSchema' | 'mayIntrospect' | 'prepareAsync' | 'execute'>
  readonly events: EventFeed
  readonly slots: Pick<StreamSlots, 'take'>
  readonly log: Pick<Logger, 'warn'>
  /** The interval in which the credential of each subscriber is checked, also without events. */
  readonly recheckMs?: number
}

/** A subscription whose document, scopes and quota were checked like those of any operation. */
export interface SubscriptionRequest {
  readonly document: string
  readonly operationName: string | null
  readonly prepared: PreparedOperation
  readonly variables: Variables
  readonly caller: Caller
  readonly requestId: string
  /** The caller with its current rights. Throws or rejects with a `Refusal` if the credential is no longer valid. */
  currentCaller(): Caller | Promise<Caller>
  /** Ends the subscription and its running queries. */
  readonly cancellation: Cancellation
  /** Called once when a subscription that was opened has ended. */
  readonly onEnd?: () => void
}

/** Events of one organization that are processed at the same time; each takes a few SQL statements. */
const concurrentEventsMax = 4
/** Events that a subscription reads in one batch. */
const batch = 20

/** All live subscriptions of this process. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #watch: RecordWatch
  readonly #limiter = new ConcurrencyLimiter(concurrentEventsMax)
  readonly #live = new Set<Subscription>()
  readonly #recheck: NodeJS.Timeout

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    this.#watch = new RecordWatch(options.events, options.log)
    this.#recheck = setInterval(() => this.#live.forEach((one) => void one.recheck()), options.recheckMs ?? 2_000)
    this.#recheck.unref()
  }

  /** The number of live subscriptions. */
  get count(): number {
    return this.#live.size
  }

  /**
   * Rejects with a `Refusal` if the caller cannot see the record or there are too many subscriptions. The returned generator must
   * be iterated or returned. It throws a `Refusal` when the credential of the subscriber is no longer valid.
   */
  async open(request: SubscriptionRequest): Promise<AsyncGenerator<GraphResult>> {
    const { graph, events, slots } = this.#options
    const { prepared, caller, cancellation } = request
    const releaseSlot = slots.take(caller.organizationId)
    try {
      const variables = prepared.coerced(request.variables, graph.mayIntrospect(caller))
      const query = changeQueryOf(graph.apiSchema, request, variables)
      const preparedQuery = await graph.prepareAsync(query.document, null)
      // The position is read before the record, so that no event after the check of the record is missed.
      const after = query.after ?? (await events.latest(caller.organizationId))
      const shared = { graph, watch: this.#watch, limiter: this.#limiter }
      const subscription = new Subscription({ ...shared, ...request, preparedQuery, query }, after)
      await subscription.requireRecord()
      this.#live.add(subscription)
      const unwatch = this.#watch.watch(caller.organizationId, query.object, query.recordId, subscription.notify)
      return new CancellableGenerator(subscription.results(), cancellation, () => {
        this.#live.delete(subscription)
        unwatch()
        releaseSlot()
        request.onEnd?.()
      })
    } catch (thrown) {
      releaseSlot()
      throw thrown
    }
  }

  close(): void {
    clearInterval(this.#recheck)
  }
}

interface SubscriptionOptions extends SubscriptionRequest, Pick<SubscriptionsOptions, 'graph'> {
  readonly watch: RecordWatch
  /** `query`, prepared; it is executed for each event. */
  readonly preparedQuery: PreparedOperation
  readonly query: ChangeQuery
  readonly limiter: ConcurrencyLimiter
}

class Subscription {
  /** Notified of a new event, of the end of the credential, and of the cancellation. */
  readonly #signal = new Signal()
  #refusal: Refusal | null = null

  constructor(
    private readonly options: SubscriptionOptions,
    private after: number,
  ) {
    options.cancellation.add({ cancel: this.notify })
  }

  readonly notify = (): void => this.#signal.notify()

  /** Rejects as a query of the record does: NOT_FOUND if the caller cannot see it. */
  async requireRecord(): Promise<void> {
    const { errors } = await this.#execute(this.options.caller, '0')
    if (errors?.[0]) throw errorOf(errors[0])
  }

  /** Ends the subscription if its credential is no longer valid. */
  async recheck(): Promise<void> {
    try {
      await this.options.currentCaller()
    } catch (thrown) {
      // An unreachable database does not mean that the credential is invalid.
      if (!endsCredential(thrown)) return
      this.#refusal = thrown
      this.notify()
    }
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { watch, query, caller, cancellation } = this.options
    const { object, recordId } = query
    const deletion = `${object}.deleted`
    while (!cancellation.isCancelled) {
      if (this.#refusal) throw this.#refusal
      const selection = { after: this.after, limit: batch, object, recordId }
      const events = await watch.next(caller.organizationId, selection)
      for (const event of events) {
        const result = await this.#resultOf(event)
        if (cancellation.isCancelled) return
        this.after = event.position
        if (!result) continue
        yield result
        if (event.type === deletion) return
      }
      if (events.length < batch) await this.#signal.wait()
    }
  }

  /** The result to send for an event; null if the subscriber cannot see the record at this moment. */
  async #resultOf({ position }: EventHeader): Promise<GraphResult | null> {
    const { limiter, currentCaller, caller, cancellation } = this.options
    const result = await limiter.run(caller.organizationId, async () =>
      cancellation.isCancelled ? null : this.#execute(await currentCaller(), String(position)),
    )
    if (!result) return null
    const [change] = Object.values(result.data ?? {})
    if (change) return result
    const [error] = result.errors ?? []
    if (error && !isNotFound(error)) throw errorOf(error)
    return null
  }

  #execute(caller: Caller, cursor: string): Promise<GraphResult> {
    const { graph, preparedQuery, query, variables, requestId, cancellation } = this.options
    const withCursor = { ...variables, [query.cursorVariable]: cursor }
    return graph.execute(preparedQuery, withCursor, { caller, requestId, idempotency: null, cancellation })
  }
}

/** Converts an error of the query's result to an error that can be thrown: a `Refusal` if it has one of our codes. */
function errorOf({ message, extensions = {} }: GraphQLFormattedError): Error {
  const { code, ...details } = extensions
  return isErrorCode(code) ? new Refusal(code, message, details) : new Error(message)
}

const isNotFound = ({ extensions }: GraphQLFormattedError): boolean => extensions?.['code'] === 'NOT_FOUND'
