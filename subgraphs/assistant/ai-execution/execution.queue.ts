import { actingCaller, modelUserOf } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import {
  inTransaction,
  portNames,
  portsOf,
  requestContext,
  type Port,
  type RequestContext,
  type Services,
} from '../../kernel/request.ts'
import { newId } from '../../kernel/ids.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { hasModel } from '../answer/modes.ts'
import { describedRuns } from './ai-execution.migrations.ts'
import { answerOf, finalModelError } from './answer.ts'
import { announce, performActions } from './perform-actions.ts'
import { planOf } from './plan.ts'
import { sightOf } from './sight.ts'
import { endExecution, readExecution, type Failure, type StoredExecution } from './stored-execution.ts'
import { inactiveOwner } from './trigger-consumer.ts'

interface Run extends QueuedItem {
  readonly executionId: string
  readonly triggerId: string
}

const attemptsMax = 5
const dayMs = 86_400_000
export const approvalDays = 7

/** Asks the model and takes the actions: at most two executions of a trigger at a time, the organizations in turn. */
export const executionQueue: Queue<Run> = {
  ...describedRuns,
  columns: 'execution_id as "executionId", trigger_id as "triggerId"',
  leaseMs: 180_000,
  attemptMsMax: 150_000,
  lanes: { fresh: 8, retry: 4 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => 2_000 * 4 ** (attempts - 1),
  retentionMs: dayMs,
  attempt,
}

/** The execution has ended otherwise, or another attempt has the lease. */
class RunEnded extends Error {}

/** Throws unless this attempt still has the lease; until the transaction ends, no other attempt gets it. */
async function requireLease({ db, caller }: RequestContext, { id, token }: Leased<Run>): Promise<void> {
  const rows = await db.query(
    `select 1 from assistant.ai_run where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' for update`,
    [caller.organizationId, id, token],
    'WRITE',
  )
  if (rows.length === 0) throw new RunEnded()
}

async function attempt(services: Services, item: Leased<Run>, signal: AbortSignal): Promise<Outcome> {
  const organizationId = item.organization!
  const execution = await readExecution(services.database, organizationId, item.executionId)
  if (!execution || !['PENDING', 'RUNNING'].includes(execution.status)) return { end: 'DONE' }
  const fail = async (failure: Failure): Promise<Outcome> => {
    await endExecution(
      services.database,
      organizationId,
      execution.id,
      { status: 'FAILED', failure },
      services.clock.now(),
    )
    return { end: 'DONE' }
  }
  // Attempts that ended their process, or were too slow for their lease, are not repeated for ever.
  if (item.attempts >= attemptsMax && item.lostToken !== null) return fail(interrupted)
  const ctx = await asOwner(services, organizationId, execution)
  if (!ctx) return fail(inactiveOwner)
  if (execution.isDeleted) return fail({ code: 'TRIGGER_DELETED', message: 'The trigger was deleted.' })
  try {
    return await execute(ctx, execution, item, signal)
  } catch (error) {
    if (error instanceof RunEnded) return { end: 'DONE' }
    const failure = finalModelError(error)
    if (failure) return fail(failure)
    return later(error, item, execution, services, fail)
  }
}

const interrupted: Failure = { code: 'INTERRUPTED', message: 'Processes that executed it ended repeatedly.' }

/** Limits are waited for, for a day; other failures use up the attempts. */
async function later(
  error: unknown,
  { attempts }: Leased<Run>,
  { createdAt }: StoredExecution,
  { clock }: Services,
  fail: (failure: Failure) => Promise<Outcome>,
): Promise<Outcome> {
  const refusal = error instanceof Refusal ? error : null
  const isOld = clock.now().getTime() - Date.parse(createdAt) > dayMs
  const afterMs = Number(refusal?.extensions['retryAfter'] ?? 1) * 1000
  if (refusal?.status === 429 && !isOld)
    return { retry: refusal.message, isWait: true, afterMs: Math.min(afterMs, 3_600_000) }
  if (attempts < attemptsMax && !isOld) return { retry: (error as Error).message, afterMs }
  return fail(refusal ? { code: 'MODEL_UNAVAILABLE', message: refusal.message } : interrupted)
}

/** The context of the owner, as whom the trigger acts: its changes name the execution. Null if the owner is no active owner or admin. */
async function asOwner(
  services: Services,
  organizationId: string,
  { id, triggerId, ownerId: userId, depth }: StoredExecution,
): Promise<RequestContext<Port> | null> {
  const origin = { kind: 'AI_TRIGGER', id: triggerId, runId: id }
  const acting = { organizationId, userId, scopes: ['*'], runAsAdmin: true, origin, depth }
  const caller = await actingCaller(services.database, acting)
  if (!caller || (caller.role !== 'OWNER' && caller.role !== 'ADMIN')) return null
  const ports = portsOf(services, portNames)
  return requestContext({ caller, requestId: newId(), idempotency: null }, services, { ports })
}

async function execute(
  ctx: RequestContext<Port>,
  execution: StoredExecution,
  item: Leased<Run>,
  signal: AbortSignal,
): Promise<Outcome> {
  const leased = (inner: RequestContext) => requireLease(inner, item)
  const answered =
    execution.startedAt === null || execution.output === null ? await ask(ctx, execution, leased, signal) : execution
  if (!answered) return { end: 'DONE' }
  const plan = await performActions(ctx, answered, leased)
  const refused = plan.findIndex(({ status }) => status === 'FAILED')
  const failure =
    refused < 0 ? null : { code: 'ACTION_FAILED', message: `Action ${refused} was refused: ${plan[refused]!.error}` }
  await inTransaction(ctx, async (inner) => {
    await leased(inner)
    const status = failure ? 'FAILED' : 'SUCCEEDED'
    await endExecution(inner.db, ctx.caller.organizationId, execution.id, { status, failure }, inner.clock.now())
  })
  return { end: 'DONE' }
}

type Leasing = (inner: RequestContext) => Promise<void>

/** Asks the model and stores its answer with what follows from it. Null if nothing is to be done now. */
async function ask(
  ctx: RequestContext<Port>,
  execution: StoredExecution,
  requireLeased: Leasing,
  signal: AbortSignal,
): Promise<StoredExecution | null> {
  const { organizationId } = ctx.caller
  const user = await inTransaction(ctx, async (inner) => {
    await requireLeased(inner)
    await inner.db.query(
      `update assistant.ai_execution set status = 'RUNNING', started_at = coalesce(started_at, $3), sight = $4 where organization_id = $1 and id = $2`,
      [organizationId, execution.id, inner.clock.now().toISOString(), sightOf(ctx.caller)],
      'WRITE',
    )
    return modelUserOf(inner)
  })
  const answered = await answerOf(ctx.languageModel, hasModel(ctx, user), execution, { ...user, signal })
  const now = ctx.clock.now()
  const { output, usage, error } = answered
  const plan = error ? [] : planOf(execution.actions, { input: execution.input, output, now })
  const isHeld = !error && execution.requireApproval && plan.length > 0
  await inTransaction(ctx, async (inner) => {
    await requireLeased(inner)
    await inner.db.query(
      `update assistant.ai_execution set output = $3, usage = $4, plan = $5, status = $6, expires_at = $7 where organization_id = $1 and id = $2`,
      [
        organizationId,
        execution.id,
        storableJson(output),
        usage && storableJson(usage),
        storableJson(plan),
        isHeld ? 'AWAITING_APPROVAL' : 'RUNNING',
        isHeld ? new Date(now.getTime() + approvalDays * dayMs).toISOString() : null,
      ],
      'WRITE',
    )
    if (error) await endExecution(inner.db, organizationId, execution.id, { status: 'FAILED', failure: error }, now)
    if (isHeld) await announce(inner, 'ai_execution.awaiting_approval', held(ctx, execution))
  })
  // What is repeated after `kill -9` comes from the database, so the first attempt reads it there as well: the same request has the same text.
  return error || isHeld ? null : readExecution(ctx.db, organizationId, execution.id)
}

const held = ({ caller }: RequestContext, { id, triggerId, triggerName, ownerId }: StoredExecution) => ({
  id,
  organizationId: caller.organizationId,
  triggerId,
  triggerName,
  ownerId,
})
