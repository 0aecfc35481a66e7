import type { IncomingMessage, ServerResponse } from 'node:http'
import { dryRunOf, setDryRunApplied } from '../gateway/edge/dry-run.ts'
import type { GraphResult } from '../gateway/graph/graph.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { OperationContext } from '../subgraphs/kernel/context.ts'
import { notInDryRun, type DryRunMode, type DryRunReport } from '../subgraphs/kernel/dry-run.ts'
import type { RestOperation } from './rest-operation.ts'

/** The answer of a dry run: its kind and what it would have done. */
export interface TriedAnswer {
  readonly mode: DryRunMode
  readonly report: DryRunReport
}

/** How the request asks for a dry run; undefined where nothing changes anyway. Refuses one of an operation that no document expresses, unless it takes a file. */
export function dryRunOfCall(
  { method, takesFile }: Pick<RestOperation, 'method' | 'takesFile'>,
  prepared: Pick<PreparedOperation, 'kind'> | null,
  req: IncomingMessage,
): DryRunMode | undefined {
  if (method === 'get') return undefined
  const dryRun = dryRunOf(req)
  if (dryRun && !prepared && !takesFile) throw notInDryRun()
  return !prepared || prepared.kind === 'mutation' ? dryRun : undefined
}

const noReport: DryRunReport = { events: [], notExecuted: [] }

export const triedAnswer = (
  { dryRun }: OperationContext,
  extensions: GraphResult['extensions'],
): TriedAnswer | undefined => dryRun && { mode: dryRun, report: extensions?.dryRun ?? noReport }

/** Longer lists are told in GraphQL. */
const listedMax = 50

/** What a dry run would have done, as lists of structured fields (RFC 9651): `"account.updated";id="…"`. */
export function writeDryRunHeaders({ mode, report: { events, notExecuted } }: TriedAnswer, res: ServerResponse): void {
  setDryRunApplied(res, mode)
  const listedEvents = events.slice(0, listedMax).map(({ type, recordId }) => `"${type}";id="${recordId}"`)
  const listedOthers = notExecuted
    .slice(0, listedMax)
    .map(({ kind, object, recordId }) =>
      recordId === null ? `"${kind}"` : `"${kind}";object="${object}";id="${recordId}"`,
    )
  if (listedEvents.length > 0) res.setHeader('Dry-Run-Events', listedEvents.join(', '))
  if (listedOthers.length > 0) res.setHeader('Dry-Run-Not-Executed', listedOthers.join(', '))
}
