import { requireToolAction, type CustomAction } from '../../extensions/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import {
  asAnswer,
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

/** Takes the run; false if it was begun before and must not be repeated. After a killed process, an action that may be repeated runs again with its key. */
async function claim({ caller, clock, db }: Confirming, row: ProposalRow, action: CustomAction): Promise<boolean> {
  const now = clock.now()
  const over = new Date(now.getTime() - leaseMs).toISOString()
  const isRepeatable = action.kind === 'READ' || action.idempotent
  const taken = await db.query(
    `update assistant.proposal set begun_at = $3 where organization_id = $1 and id = $2 and status = 'PENDING'
       and (begun_at is null or $4 and begun_at <= $5) returning id`,
    [caller.organizationId, row.id, now.toISOString(), isRepeatable, over],
    'WRITE',
  )
  if (taken.length > 0) return true
  if (isAbandoned(row, now) && !isRepeatable) return false
  throw refusalInSituation('The proposal is being confirmed.')
}

async function release({ caller, db }: Confirming, { id }: ProposalRow): Promise<void> {
  await db.query(
    `update assistant.proposal set begun_at = null where organization_id = $1 and id = $2 and status = 'PENDING'`,
    [caller.organizationId, id],
    'WRITE',
  )
}

/**
 * Runs the action as the user. A confirmation claims the run before it begins, so of two at the same time one runs it. After `kill -9` a WRITE action that
 * is not idempotent is INTERRUPTED. A run that fails is the end of the proposal and no refusal.
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
  if (!(await claim(ctx, row, action))) return endProposal(ctx, row, interrupted)
  const answer = await graph
    .execute(executeAction(action.id, row.input), executorOf(ctx, row), { requestId, idempotencyKey: row.id })
    .catch(asAnswer)
  const refusal = refusalOf(answer)
  if (refusal) {
    if (!isPassing(refusal)) await endProposal(ctx, row, outcomeOfRefusal(refusal))
    // Of a defect it is not known whether the action has run.
    else if (refusal.code !== 'INTERNAL') await release(ctx, row)
    throw refusal
  }
  const { status, output, error } = resultOf(answer.data)
  await endProposal(ctx, row, {
    status: status === 'SUCCEEDED' ? 'CONFIRMED' : 'FAILED',
    error,
    output: fitting(output),
  })
}
