import { createHash } from 'node:crypto'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { spendAutomationCall } from '../../subgraphs/kernel/automation/automation-limit.ts'
import type { Caller, IdempotencyClaim, OperationContext } from '../../subgraphs/kernel/context.ts'
import { notInDryRun } from '../../subgraphs/kernel/dry-run.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { GraphAnswer, GraphPort, GraphQuery } from '../../subgraphs/kernel/graph-port/graph-port.ts'
import type { Services } from '../../subgraphs/kernel/request.ts'
import { idempotencyClaim } from '../edge/idempotency.ts'
import type { Graph } from './graph.ts'
import type { PreparedOperation } from './prepared-operation.ts'

/** The prepared operation, which the graph caches; refused if it is of another kind. */
async function preparedAs(
  kind: 'query' | 'mutation',
  graph: Graph,
  document: string,
  caller: Caller,
): Promise<PreparedOperation> {
  const prepared = await graph.prepareAsync(document, null, caller)
  if (prepared.kind === kind) return prepared
  throw new Refusal('OPERATION_RESOLUTION_FAILURE', `The operation must be a ${kind}, not a ${prepared.kind}.`)
}

/** The fingerprint covers the mutation and its variables, so that a key stands for one change. */
function claimFor({ document, variables }: GraphQuery, caller: Caller, key: string): IdempotencyClaim {
  if (caller.kind === 'ANONYMOUS')
    throw new Refusal('UNAUTHENTICATED', 'A mutation with an idempotency key needs a caller with a credential.')
  return idempotencyClaim(key, () =>
    createHash('sha256')
      .update(`${document}\n${JSON.stringify(variables)}`)
      .digest('base64url'),
  )
}

/** The graph as subgraphs use it. */
export const graphPort = (graph: Graph, services: Pick<Services, 'counters' | 'clock'>): GraphPort => ({
  async check({ document, variables, costMax }, caller) {
    const prepared = await preparedAs('query', graph, document, caller)
    graph.authorize(prepared, caller)
    prepared.refuseCostly(prepared.coerced(variables, false), costMax)
  },
  async read({ document, variables, costMax }, caller, { requestId, timeoutMs }): Promise<GraphAnswer> {
    const prepared = await preparedAs('query', graph, document, caller)
    prepared.refuseCostly(prepared.coerced(variables, false), costMax)
    await spendAutomationCall(services, caller)
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
  async execute(mutation, caller, { requestId, idempotencyKey }): Promise<GraphAnswer> {
    const isDryRun = idempotencyKey === undefined
    const { document, variables, costMax } = mutation
    const prepared = await preparedAs('mutation', graph, document, caller)
    prepared.refuseCostly(prepared.coerced(variables, false), costMax)
    // The directive of the document would take precedence, and call hooks.
    if (isDryRun && prepared.dryRun === 'HOOKS') throw notInDryRun('A mutation that calls hooks')
    const context: OperationContext = isDryRun
      ? { caller, requestId, idempotency: null, dryRun: 'CHANGES' }
      : { caller, requestId, idempotency: claimFor(mutation, caller, idempotencyKey) }
    await spendAutomationCall(services, caller)
    const { data, errors = [], replayed, extensions } = await graph.execute(prepared, variables, context)
    return { data, errors, ...(replayed && { replayed }), ...(extensions?.dryRun && { dryRun: extensions.dryRun }) }
  },
})
