import type { Edge } from '../gateway/edge/edge.ts'
import type { Graph } from '../gateway/graph/graph.ts'
import type { DeprecatedCall } from '../subgraphs/kernel/credential.ts'

/** The request edge: rate limits, authentication, quotas, and writing refusals. */
export type EdgePort = Pick<Edge, 'admit' | 'spend' | 'refuse'>

export type GraphPort = Pick<Graph, 'prepare' | 'authorize' | 'execute' | 'apiSchema'>

export interface DeprecatedCalls {
  /** Must not throw; callers do not wait for it. */
  record(call: DeprecatedCall): void
}
