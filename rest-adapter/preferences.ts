import type { IncomingMessage, ServerResponse } from 'node:http'
import { allowsDuplicates, setDuplicatesAllowed } from '../gateway/edge/allowed-duplicates.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { OperationContext } from '../subgraphs/kernel/context.ts'
import { dryRunOfCall } from './dry-run.ts'
import type { RestOperation } from './rest-operation.ts'

/** How the request asks for its change to be carried out (`Prefer`, RFC 7240). */
export function preferencesOfCall(
  operation: Pick<RestOperation, 'method' | 'takesFile'>,
  prepared: Pick<PreparedOperation, 'kind'> | null,
  req: IncomingMessage,
  res: ServerResponse,
): Pick<OperationContext, 'dryRun' | 'allowsDuplicates'> {
  const dryRun = dryRunOfCall(operation, prepared, req)
  if (prepared?.kind !== 'mutation' || !allowsDuplicates(req)) return { dryRun }
  setDuplicatesAllowed(res)
  return { dryRun, allowsDuplicates: true }
}
