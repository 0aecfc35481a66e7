import type { ServerResponse } from 'node:http'
import { exchangeOf } from '../edge/exchange.ts'
import type { Admission } from '../edge/edge.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import type { Ports } from './ports.ts'

/** Checks an admitted request: first the document, then the scopes, then the quota. Returns the operation to execute. */
export async function admitOperation(
  { graph, edge }: Ports,
  admission: Admission,
  document: string,
  operationName: string | null,
  res: ServerResponse | null,
): Promise<PreparedOperation> {
  const prepared = await graph.prepareAsync(document, operationName, admission.caller)
  const exchange = res && exchangeOf(res)
  if (exchange) {
    exchange.operation = prepared.rootField
    exchange.operationName = prepared.name
  }
  graph.authorize(prepared, admission.caller)
  await edge.spend(admission, res, prepared.requests)
  return prepared
}
