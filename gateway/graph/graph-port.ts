import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { GraphAnswer, GraphPort } from '../../subgraphs/kernel/graph-port/graph-port.ts'
import type { Graph } from './graph.ts'

/** The graph as subgraphs use it. */
export const graphPort = (graph: Graph): GraphPort => ({
  async check({ document, variables, costMax }, caller) {
    const prepared = await graph.prepareAsync(document, null, caller)
    graph.authorize(prepared, caller)
    prepared.refuseCostly(prepared.coerced(variables, false), costMax)
  },
  async read({ document, variables, costMax }, caller, { requestId, timeoutMs }): Promise<GraphAnswer> {
    const prepared = await graph.prepareAsync(document, null, caller)
    prepared.refuseCostly(prepared.coerced(variables, false), costMax)
    const cancellation = new Cancellation()
    const timer = setTimeout(() => cancellation.cancel(), timeoutMs)
    try {
      const context = { caller, requestId, idempotency: null, cancellation }
      const { data, errors = [] } = await graph.execute(prepared, variables, context)
      return { data, errors }
    } finally {
      clearTimeout(timer)
    }
  },
})
