import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import type { Graph, GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import type { Variables } from '../graph/variable-values.ts'
import type { EventChannels } from './event-channels.ts'
import type { Projections } from './projection.ts'
import type { SubscriptionCall } from './subscription-call.ts'

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

export interface OpenedSubscription {
  /** Throws a `Refusal` when the credential of the subscriber is no longer valid. */
  readonly results: AsyncGenerator<GraphResult>
  /** Checks the credential of the subscriber. Must not reject. */
  readonly recheck: () => Promise<void>
  /** Called once when the subscription has ended, however it did. */
  readonly leave: () => void
  /** The server stops: the subscription ends by itself as soon as the client has read what it must know. */
  readonly stop?: () => void
}

/** Opens subscriptions of one root field. Rejects with a `Refusal` if the caller or the arguments do not allow it. */
export type OpenSubscription = (call: SubscriptionCall, request: SubscriptionRequest) => Promise<OpenedSubscription>

export interface SourceDependencies {
  readonly graph: Pick<Graph, 'apiSchema' | 'authorize' | 'prepareAsync' | 'execute'>
  readonly events: EventFeed
  readonly channels: EventChannels
  readonly projections: Projections
  /** A subscription that was at the end of the log ends when it is further behind. */
  readonly behindMax: number
}
