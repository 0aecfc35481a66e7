import type { Edge } from '../gateway/edge/edge.ts'
import type { EventStreams } from '../gateway/edge/event-streams.ts'
import type { StreamSlots } from '../gateway/edge/stream-slots.ts'
import type { Graph } from '../gateway/graph/graph.ts'
import type { DeprecatedCall } from '../subgraphs/kernel/credential.ts'

/** What stands between the network and an operation: addresses, credentials, quotas, and how a refusal is written. */
export type EdgePort = Pick<Edge, 'admit' | 'spend' | 'refuse' | 'problem' | 'finished'>

/** How answers that are streams of events are sent, and how many there may be. */
export interface StreamsPort {
  readonly eventStreams: Pick<EventStreams, 'send'>
  readonly streamSlots: Pick<StreamSlots, 'take'>
}

export type GraphPort = Pick<Graph, 'prepare' | 'authorize' | 'execute' | 'apiSchema'>

export interface DeprecatedCalls {
  /** Must neither throw nor be waited for. */
  record(call: DeprecatedCall): void
}
