import type { GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { isErrorCode, Refusal } from '../../subgraphs/kernel/errors.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import type { StreamSlots } from '../edge/stream-slots.ts'
import type { Graph, GraphResult } from '../graph/graph.ts'
import type { Prepared } from '../graph/prepared.ts'
import type { Variables } from '../graph/variable-values.ts'
import { changeQueryOf, type ChangeQuery } from './change-query.ts'
import { LiveResults } from './live-results.ts'
import { RecordWatch, type EventPlace } from './record-watch.ts'
import { Turns } from './turns.ts'
import { Wake } from './wake.ts'

export interface SubscriptionsOptions {
  readonly graph: Pick<Graph, 'apiSchema' | 'prepareInTurn' | 'execute'>
  readonly events: EventFeed
  readonly slots: Pick<StreamSlots, 'take'>
  readonly log: Pick<Logger, 'warn'>
  /** How often it is asked whether the credential of a subscriber is still good while nothing happens. */
  readonly recheckMs?: number
}

/** A subscription that was admitted like any operation: limits, scopes and quota are behind it. */
export interface Subscribe {
  readonly document: string
  readonly operationName: string | null
  readonly prepared: Prepared
  readonly variables: Variables
  readonly caller: Caller
  readonly requestId: string
  /** The caller with the rights of this moment. Rejects with a `Refusal` when the credential is not good any more. */
  currentCaller(): Caller | Promise<Caller>
  /** Ends the subscription and what runs for it. */
  readonly cancellation: Cancellation
  /** Called once when a subscription that was opened has ended. */
  readonly ended?: () => void
}

/** Events of one organization that are being told at once: each takes a few statements. */
const toldAtOnce = 4
/** Events that a subscription reads at once. */
const batch = 20

/** Who follows which record, and what they are told. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #watch: RecordWatch
  readonly #turns = new Turns(toldAtOnce)
  readonly #open = new Set<Subscription>()
  readonly #recheck: NodeJS.Timeout

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    this.#watch = new RecordWatch(options.events, options.log)
    this.#recheck = setInterval(() => this.#open.forEach((one) => void one.recheck()), options.recheckMs ?? 2_000)
    this.#recheck.unref()
  }

  /** Live ones. */
  get count(): number {
    return this.#open.size
  }

  /**
   * Rejects with a `Refusal` when the caller does not see the record or there are too many subscriptions. The results must be
   * asked for, or returned; they end with an error when the subscriber may no longer have them.
   */
  async open(subscribe: Subscribe): Promise<AsyncGenerator<GraphResult>> {
    const { graph, events, slots } = this.#options
    const { prepared, caller, cancellation } = subscribe
    const leave = slots.take(caller.organizationId)
    try {
      const variables = prepared.coerced(subscribe.variables)
      const query = changeQueryOf(graph.apiSchema, subscribe, variables)
      const asked = await graph.prepareInTurn(query.document, null)
      // Before the record is looked at: what happens to it from here on is told.
      const after = query.after ?? (await events.latest(caller.organizationId))
      const shared = { graph, watch: this.#watch, turns: this.#turns }
      const subscription = new Subscription({ ...shared, ...subscribe, asked, query }, after)
      await subscription.requireRecord()
      this.#open.add(subscription)
      const unwatch = this.#watch.watch(caller.organizationId, query.object, query.recordId, subscription.wake)
      return new LiveResults(subscription.results(), cancellation, () => {
        this.#open.delete(subscription)
        unwatch()
        leave()
        subscribe.ended?.()
      })
    } catch (thrown) {
      leave()
      throw thrown
    }
  }

  close(): void {
    clearInterval(this.#recheck)
  }
}

interface SubscriptionOptions extends Subscribe, Pick<SubscriptionsOptions, 'graph'> {
  readonly watch: RecordWatch
  /** The query that is executed for each event. */
  readonly asked: Prepared
  readonly query: ChangeQuery
  readonly turns: Turns
}

class Subscription {
  readonly #news = new Wake()
  #refusal: Refusal | null = null

  constructor(
    private readonly options: SubscriptionOptions,
    private after: number,
  ) {
    options.cancellation.add({ cancel: this.wake })
  }

  readonly wake = (): void => this.#news.wake()

  /** The same answer as to a read: NOT_FOUND for a record that the caller does not see. */
  async requireRecord(): Promise<void> {
    const { errors } = await this.#execute(this.options.caller, '0')
    if (errors?.[0]) throw refusalOf(errors[0])
  }

  /** Ends the subscription when its credential is not good any more. */
  async recheck(): Promise<void> {
    try {
      await this.options.currentCaller()
    } catch (thrown) {
      // That the database is away says nothing about the credential.
      if (!endsCredential(thrown)) return
      this.#refusal = thrown
      this.wake()
    }
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { watch, query, caller, cancellation } = this.options
    const { object, recordId } = query
    const deletion = `${object}.deleted`
    while (!cancellation.isCancelled) {
      if (this.#refusal) throw this.#refusal
      const next = { after: this.after, limit: batch, object, recordId }
      const logged = await watch.next(caller.organizationId, next)
      for (const event of logged) {
        const result = await this.#told(event)
        if (cancellation.isCancelled) return
        this.after = event.position
        if (!result) continue
        yield result
        if (event.type === deletion) return
      }
      if (logged.length < batch) await this.#news.next()
    }
  }

  /** Null when the subscriber does not see the record at this moment. */
  async #told({ position }: EventPlace): Promise<GraphResult | null> {
    const { turns, currentCaller, caller, cancellation } = this.options
    const result = await turns.run(caller.organizationId, async () =>
      cancellation.isCancelled ? null : this.#execute(await currentCaller(), String(position)),
    )
    if (!result) return null
    const [change] = Object.values(result.data ?? {})
    if (change) return result
    const [error] = result.errors ?? []
    if (error && !isNotFound(error)) throw refusalOf(error)
    return null
  }

  #execute(caller: Caller, cursor: string): Promise<GraphResult> {
    const { graph, asked, query, variables, requestId, cancellation } = this.options
    const given = { ...variables, [query.cursorVariable]: cursor }
    return graph.execute(asked, given, { caller, requestId, idempotency: null, cancellation })
  }
}

/** What the query was answered with, to be thrown. */
function refusalOf({ message, extensions = {} }: GraphQLFormattedError): Error {
  const { code, ...details } = extensions
  return isErrorCode(code) ? new Refusal(code, message, details) : new Error(message)
}

const isNotFound = ({ extensions }: GraphQLFormattedError): boolean => extensions?.['code'] === 'NOT_FOUND'
