import { requireToolAction, type CustomAction } from '../../extensions/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import {
  asAnswer,
  beginProposal,
  endProposal,
  executorOf,
  isPassing,
  outcomeOfRefusal,
  refusalOf,
  type Confirming,
  type Outcome,
} from './decide.ts'
import type { ProposalRow } from './stored.ts'

const costMax = 1_000
/** Longer than a run may take, so that a run of a living process is never taken for that of a killed one. */
const leaseMs = 60_000
/** An output that is kept with the proposal, and fits the result of a tool. */
const outputBytesMax = 15_000

interface ActionResult {
  readonly status: 'SUCCEEDED' | 'FAILED'
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string } | null
}

export const executeAction = (id: string, input: object): GraphQuery => ({
  document: `mutation ($id: String!, $input: CustomActionExecuteInput!) {
    result: customActionExecute(id: $id, input: $input) { status output error { code message } }
  }`,
  variables: { id, input },
  costMax,
})

export const resultOf = (data: Readonly<Record<string, unknown>> | null): ActionResult =>
  data!['result'] as ActionResult

const interrupted: Outcome = {
  status: 'FAILED',
  error: {
    code: 'INTERRUPTED',
    message: 'The process that ran the action has ended. It may have had its effect, so it is not repeated.',
  },
}

const fitting = (output: unknown): unknown =>
  output !== null && Buffer.byteLength(JSON.stringify(output)) <= outputBytesMax ? output : null

/** The action must be as it was proposed. */
async function requireUnchanged(ctx: Confirming, row: ProposalRow): Promise<CustomAction> {
  const action = await requireToolAction(ctx, row.recordId)
  if (action.version === row.expectedVersion) return action
  throw new Refusal('VERSION_CONFLICT', 'The action was changed after it was proposed. Propose it again.')
}

/** Whether a run was begun by a process that has ended. */
const isAbandoned = ({ begunAt }: ProposalRow, now: Date): boolean =>
  begunAt !== null && new Date(begunAt).getTime() <= now.getTime() - leaseMs

/**
 * Runs the action as the user, with one idempotency key for all confirmations: of two at the same time one runs it, and after `kill -9` it runs again only
 * if it may be repeated. A run that fails is the end of the proposal and no refusal.
 */
export async function performAction(ctx: Confirming, row: ProposalRow): Promise<void> {
  const { graph, requestId, clock } = ctx
  const action = await requireUnchanged(ctx, row).catch(async (thrown: unknown) => {
    // Another credential of the user may have the right that is missing here.
    if (!(thrown instanceof Refusal) || (thrown.status !== 404 && thrown.status !== 409)) throw thrown
    if (row.begunAt === null) await endProposal(ctx, row, outcomeOfRefusal(thrown))
    else if (isAbandoned(row, clock.now())) await endProposal(ctx, row, interrupted)
    throw thrown
  })
  await beginProposal(ctx, row)
  const answer = await graph
    .execute(executeAction(action.id, row.input), executorOf(ctx, row), { requestId, idempotencyKey: row.id })
    .catch(asAnswer)
  const refusal = refusalOf(answer)
  if (refusal) {
    if (!isPassing(refusal)) await endProposal(ctx, row, outcomeOfRefusal(refusal))
    throw refusal
  }
  const { status, output, error } = resultOf(answer.data)
  await endProposal(ctx, row, {
    status: status === 'SUCCEEDED' ? 'CONFIRMED' : 'FAILED',
    error,
    output: fitting(output),
  })
}
