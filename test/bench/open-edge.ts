import type { Edge, Admission } from '../../gateway/edge/edge.ts'
import type { Graph } from '../../gateway/graph/graph.ts'

// Loaded before the project (`node --import`): the first request is admitted as always, and every later one as that caller
// without a look at it. Nothing is authorized, charged or told about quotas. What this saves is what the edge costs.

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
