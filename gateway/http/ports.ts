import type { Edge } from '../edge/edge.ts'
import type { Graph } from '../graph/graph.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'

export type EdgePort = Pick<Edge, 'admit' | 'spend' | 'currentCaller' | 'finished' | 'addressOf'>

export type GraphPort = Pick<Graph, 'apiSchema' | 'prepare' | 'prepareAsync' | 'authorize' | 'execute'>

export interface Ports {
  readonly graph: GraphPort
  readonly edge: EdgePort
  readonly subscriptions: Pick<Subscriptions, 'open'>
}
