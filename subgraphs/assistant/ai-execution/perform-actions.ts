import { v5 } from 'uuid'
import { isErrorCode, Refusal, statusOfCode } from '../../kernel/errors.ts'
import type { GraphAnswer } from '../../kernel/graph-port/graph-port.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction, type Port, type RequestContext } from '../../kernel/request.ts'
import { executionChanges } from './ai-execution.events.ts'
import { mutationOf, type PlannedAction } from './plan.ts'
import type { StoredExecution } from './stored-execution.ts'

const namespace = '3b0b6d0e-3f43-4a53-9a2b-7d0c5e8f1a64'
const errorMax = 500

/** The id of what an action creates, so that it is the same whenever the action is repeated. */
const idOf = (executionId: string, index: number): string => v5(`${executionId} ${index}`, namespace)

/** Writes in a transaction that fails unless this attempt still has its lease. */
export type WriteLeased = (ctx: RequestContext) => Promise<void>

/**
 * Takes the planned actions in their order as the owner, through the graph as any client, each with an idempotency key of its own: after `kill -9` what
 * was done is found and recorded. Returns the actions with what became of them.
 */
export async function performActions(
  ctx: RequestContext<Port>,
  execution: StoredExecution,
  requireLease: WriteLeased,
): Promise<readonly PlannedAction[]> {
  const plan = [...execution.plan]
  for (const [index, action] of plan.entries()) {
    if (action.status !== 'PLANNED') continue
    const isStopped = plan.slice(0, index).some(({ status }) => status === 'FAILED')
    const query = mutationOf(action, idOf(execution.id, index))
    const done = isStopped
      ? skipped(action)
      : query
        ? await executed(ctx, execution, action, index, query)
        : sent(action)
    plan[index] = done
    await inTransaction(ctx, async (inner) => {
      await requireLease(inner)
      const recorded = await inner.db.query(
        `update assistant.ai_execution set plan = $3
         where organization_id = $1 and id = $2 and plan -> $4::int ->> 'status' = 'PLANNED' returning 1`,
        [ctx.caller.organizationId, execution.id, storableJson(plan), index],
        'WRITE',
      )
      if (recorded.length === 0) throw new Error('Another attempt has recorded the action.')
      if (done.status === 'EXECUTED' && !query) await notify(inner, execution, action)
    })
  }
  return plan
}

const skipped = (action: PlannedAction): PlannedAction => ({ ...action, status: 'SKIPPED' })
const sent = (action: PlannedAction): PlannedAction => ({ ...action, status: 'EXECUTED' })

async function executed(
  { graph, caller, requestId }: RequestContext<Port>,
  { id }: StoredExecution,
  action: PlannedAction,
  index: number,
  query: NonNullable<ReturnType<typeof mutationOf>>,
): Promise<PlannedAction> {
  const idempotencyKey = `ai_execution.${id}.${index}`
  const outcome = await graph
    .execute(query, caller, { requestId, idempotencyKey })
    .then(outcomeOf, (thrown: unknown) => outcomeOf({ data: null, errors: [asError(thrown)] }))
  return { ...action, ...outcome, status: outcome.error === null ? 'EXECUTED' : 'FAILED' }
}

function asError(thrown: unknown): GraphAnswer['errors'][number] {
  if (!(thrown instanceof Refusal)) throw thrown
  return { message: thrown.message, extensions: { ...thrown.extensions } }
}

interface RunResult {
  readonly id?: string
  /** Of custom actions and functions, which may have run and failed. */
  readonly status?: string
  readonly error?: { readonly code?: string; readonly message: string } | null
}

function resultOf(result: RunResult | null): Pick<PlannedAction, 'resultId' | 'error'> {
  const { id = null, status = 'SUCCEEDED', error } = result ?? {}
  const failure = status === 'SUCCEEDED' ? null : `${error?.code ?? status}: ${error?.message ?? 'It failed.'}`
  return { resultId: id, error: failure?.slice(0, errorMax) ?? null }
}

/** A refusal that another attempt may not get is thrown, so that the execution is tried again; another one is what became of the action. */
function outcomeOf({ data, errors }: GraphAnswer): Pick<PlannedAction, 'resultId' | 'error'> {
  const [error] = errors
  if (!error) return resultOf(data?.['result'] as RunResult | null)
  const code = error.extensions?.['code']
  // A variable of a wrong type, such as an id that the record does not have, is a mistake of the settings.
  const isOurs = isErrorCode(code)
  if (isOurs && (statusOfCode[code] >= 500 || statusOfCode[code] === 429 || code === 'IDEMPOTENCY_IN_PROGRESS')) {
    const retryAfter = error.extensions?.['retryAfter']
    throw new Refusal(code, error.message, { retryAfter: typeof retryAfter === 'number' ? retryAfter : 1 })
  }
  const problems = error.extensions?.['errors'] as readonly { readonly message: string }[] | undefined
  const reasons = problems?.map(({ message }) => message).join(' ') ?? ''
  return { resultId: null, error: `${String(code)}: ${reasons || error.message}`.slice(0, errorMax) }
}

/** The event of which users are notified, in the transaction that records the action. */
async function notify(ctx: RequestContext, execution: StoredExecution, { values }: PlannedAction): Promise<void> {
  const { id, triggerId, triggerName, ownerId } = execution
  const next = { id, organizationId: ctx.caller.organizationId, triggerId, triggerName, ownerId }
  const told = { recipientIds: values['recipients'] as string[], message: values['message'] as string }
  await announce(ctx, 'ai_execution.notified', { ...next, ...told })
}

export const announce = (
  ctx: RequestContext,
  type: 'ai_execution.notified' | 'ai_execution.awaiting_approval',
  next: Parameters<NonNullable<NonNullable<(typeof executionChanges)['events']>['payload']>['of']>[0],
): Promise<boolean> =>
  writeChange(
    ctx,
    executionChanges,
    { operation: 'CREATE', previous: null, next: next as never, events: [type], isEventReplaced: true },
    () => 'select 1 as id',
  )
