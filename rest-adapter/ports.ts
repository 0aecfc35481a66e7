import type { Edge } from '../gateway/edge/edge.ts'
import type { EventStreams } from '../gateway/edge/event-streams.ts'
import type { StreamSlots } from '../gateway/edge/stream-slots.ts'
import type { Subscriptions } from '../gateway/subscriptions/subscriptions.ts'
import type { Graph } from '../gateway/graph/graph.ts'
import type { DeprecatedCall } from '../subgraphs/kernel/credentials/public.ts'

/** The request edge: it applies rate limits, authentication and quotas, and sends refusals. */
export type EdgePort = Pick<Edge, 'admit' | 'spend' | 'currentCaller' | 'refuse' | 'problem' | 'finished'>

/** Sends event streams and limits their number. */
export interface StreamsPort {
  readonly eventStreams: Pick<EventStreams, 'send'>
  readonly streamSlots: Pick<StreamSlots, 'take'>
  /** Runs the operations whose stored document is a subscription. */
  readonly subscriptions: Pick<Subscriptions, 'open'>
}

export type GraphPort = Pick<Graph, 'prepare' | 'prepareAsync' | 'authorize' | 'execute' | 'apiSchema'>

export interface DeprecatedCalls {
  /** Must not throw; callers do not wait for it. */
  record(call: DeprecatedCall): void
}
