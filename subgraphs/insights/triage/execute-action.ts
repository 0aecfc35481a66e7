import type { Caller } from '../../kernel/context.ts'
import { isErrorCode, notFound, Refusal, statusOfCode } from '../../kernel/errors.ts'
import type { GraphAnswer, GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import { notInDryRun } from '../../kernel/dry-run.ts'
import { externalCall, pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { refusalInSituation, refusalInState, requireAllowedTransition } from '../../kernel/record/transitions.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { StoredAction } from './stored-parts.ts'
import { triageCase } from './triage-case.record.ts'
import { isExecutable, triageStates } from './triage-case.states.ts'
import type { TriageCase } from './triage-case.ts'
import { actionsFor } from './visible-parts.ts'

type Context = RequestContext<'graph'>

const createTask = 'mutation ($input: TaskCreateInput!) { result: taskCreate(input: $input) { id } }'
const escalateCase =
  'mutation ($id: ID!, $status: CaseStatus!) { result: caseSetStatus(id: $id, status: $status) { id } }'
const customAction =
  'mutation ($id: String!, $input: CustomActionExecuteInput!) { result: customActionExecute(id: $id, input: $input) { status error { code message } } }'
const costMax = 1000
const errorMax = 500

/** The mutation of an action. It depends on the action alone, so that repeating it is the same request. */
function mutationOf({ id, type, subject, payload }: StoredAction): GraphQuery {
  if (type === 'ESCALATE_CASE')
    return { document: escalateCase, variables: { id: subject.entityId, ...payload }, costMax }
  if (type === 'CUSTOM_ACTION') {
    const { action, input } = payload
    return { document: customAction, variables: { id: action, input: { recordId: subject.entityId, input } }, costMax }
  }
  const input = { ...payload, id, relatedToType: subject.entityType, relatedToId: subject.entityId }
  return { document: createTask, variables: { input }, costMax }
}

/**
 * Whoever executes an action, its idempotency key belongs to the same credential: two users who do so at once, or after one another, make one
 * change. A custom action is run by the user and not by an automation, so `allowManual` holds.
 */
const executorFor = (caller: Caller, caseId: string, action: StoredAction): Caller => ({
  ...caller,
  credentialId: 'triage',
  ...(action.type !== 'CUSTOM_ACTION' && { origin: { kind: 'TRIAGE', id: caseId, runId: action.id } }),
})

/** The id of the action; after a refusal, whose answer is stored for a day, with the number of the attempt. */
const attemptKeyOf = ({ id, failures }: StoredAction): string => (failures === 0 ? id : `${id}.${failures}`)

interface Outcome {
  readonly resultId: string | null
  readonly error: string | null
}

interface Result {
  readonly id?: string
  readonly error?: { readonly code: string; readonly message: string } | null
}

/** A custom action has no record, and may have failed. */
const resultIn = ({ id, error = null }: Result): Outcome => ({
  resultId: id ?? null,
  error: error && `${error.code}: ${error.message}`.slice(0, errorMax),
})

/** A refusal that another attempt may not get is passed on; another one is what became of the action. */
function outcomeOf({ data, errors }: GraphAnswer): Outcome {
  const [error] = errors
  if (!error) return resultIn(data!['result'] as Result)
  const code = error.extensions?.['code']
  if (!isErrorCode(code)) throw new Refusal('INTERNAL', error.message)
  // What somebody with more rights has executed is recorded by whoever has executed it, or by somebody who may read the answer.
  if (error.extensions?.['isAnswered'] === true)
    throw refusalInSituation('Another user executes the action, or has executed it. Read the case again.')
  if (statusOfCode[code] >= 500 || statusOfCode[code] === 429 || code === 'IDEMPOTENCY_IN_PROGRESS')
    throw new Refusal(code, error.message, { retryAfter: 1 })
  return { resultId: null, error: `${code}: ${error.message}`.slice(0, errorMax) }
}

/**
 * Executes an action as the caller, through the graph as any client, and then records what became of it. Its idempotency key is the id of the
 * action, which is also the id of a created task: after `kill -9` between the two, the next call finds what was done and records it.
 */
export async function executeAction(ctx: Context, id: string, actionId: string): Promise<TriageCase> {
  requireWritableRole(ctx)
  const key = `triage.${actionId}`
  return transactionWithExternalCalls(ctx, async (inner) => {
    const previous = await recordsOf(triageCase).require(inner, id)
    const action = await requireExecutable(inner, previous, actionId)
    if (!inner.externalCalls!.outcomeOf(key))
      await requireAllowedTransition(inner, triageStates, previous, 'IN_PROGRESS', 'triageActionExecute')
    // What a custom action answers is known only when it has run.
    if (inner.dryRun && action.type === 'CUSTOM_ACTION') throw notInDryRun('A custom action')
    const outcome = await (inner.dryRun ? pureCall : externalCall)(inner, key, async () => {
      const { graph, caller, requestId } = ctx
      const executor = executorFor(caller, id, action)
      const how = inner.dryRun ? { dryRun: 'CHANGES' as const } : { idempotencyKey: attemptKeyOf(action) }
      return async () => outcomeOf(await graph.execute(mutationOf(action), executor, { requestId, ...how }))
    })
    const isDone = outcome.error === null || (await wasDone(inner, action))
    return change(inner, triageCase, id, async (latest) => {
      const current = await requireExecutable(inner, latest, actionId)
      const executedAt = inner.clock.now().toISOString()
      const result: StoredAction = isDone
        ? { ...current, status: 'EXECUTED', executedAt, resultId: outcome.resultId ?? resultOf(action), error: null }
        : { ...current, status: 'FAILED', executedAt, error: outcome.error, failures: current.failures + 1 }
      const storedActions = latest.storedActions.map((one) => (one.id === action.id ? result : one))
      // A case that was ignored or resolved meanwhile stays so.
      const isOpen = latest.status === 'OPEN' || latest.status === 'PLAN_SAVED'
      return { operation: 'UPDATE', values: {}, implied: { storedActions, ...(isOpen && { status: 'IN_PROGRESS' }) } }
    })
  })
}

const resultOf = ({ type, id, subject }: StoredAction): string | null => {
  if (type === 'CUSTOM_ACTION') return null
  return type === 'ESCALATE_CASE' ? subject.entityId : id
}

async function requireExecutable(ctx: RequestContext, previous: TriageCase, actionId: string): Promise<StoredAction> {
  const action = (await actionsFor(ctx, previous))?.find(({ id }) => id === actionId.toLowerCase())
  if (!action) throw notFound('The action')
  if (isExecutable(action)) return action
  const message = `An action that is ${action.status} cannot be executed.`
  throw await refusalInState(ctx, triageStates, previous, message)
}

/** Whether a refused action has taken effect before: its task exists, or its case is escalated. */
async function wasDone({ db, caller }: RequestContext, action: StoredAction): Promise<boolean> {
  const result = resultOf(action)
  if (result === null) return false
  const sql =
    action.type === 'ESCALATE_CASE'
      ? `select 1 from support."case" where organization_id = $1 and id = $2 and status = 'ESCALATED'`
      : 'select 1 from crm.task where organization_id = $1 and id = $2'
  return (await db.query(sql, [caller.organizationId, result])).length > 0
}
