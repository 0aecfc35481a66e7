import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import { allowsDuplicates, setDuplicatesAllowed } from '../edge/allowed-duplicates.ts'
import { dryRunOf } from '../edge/dry-run.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'

/** How the request asks for its mutation to be carried out (`Prefer`, RFC 7240). */
export function preferencesOf(
  { kind }: Pick<PreparedOperation, 'kind'>,
  req: IncomingMessage,
  res: ServerResponse,
): Pick<OperationContext, 'dryRun' | 'allowsDuplicates'> {
  const dryRun = dryRunOf(req)
  if (!allowsDuplicates(req) || kind !== 'mutation') return { dryRun }
  setDuplicatesAllowed(res)
  return { dryRun, allowsDuplicates: true }
}
