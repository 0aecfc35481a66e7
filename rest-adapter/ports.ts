import type { Edge } from '../gateway/edge/edge.ts'
import type { Graph } from '../gateway/graph/graph.ts'
import type { Counted } from '../subgraphs/kernel/credential.ts'

/** What stands between the network and an operation: addresses, credentials, quotas, and how a refusal is written. */
export type EdgePort = Pick<Edge, 'admit' | 'spend' | 'refuse'>

export type GraphPort = Pick<Graph, 'prepare' | 'authorize' | 'execute' | 'apiSchema'>

/** A call to a deprecated operation, for `GET /v1/api-keys/deprecated-usage`. */
export interface DeprecatedCall {
  readonly counted: Counted
  readonly operationId: string
  /** `POST /v1/api-keys/{id}/regenerate` */
  readonly endpoint: string
  readonly sunset: Date
  readonly at: Date
}

export interface DeprecatedCalls {
  /** Must neither throw nor be waited for. */
  record(call: DeprecatedCall): void
}
