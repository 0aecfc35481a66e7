import { requireRightToActAs } from '../../identity/public.ts'
import { isId } from '../../kernel/ids.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { readExecutionOf, unknownExecution } from './ai-execution.reads.ts'
import type { AiExecution, AiExecutionStatus } from './ai-execution.types.ts'
import type { PlannedAction } from './plan.ts'
import { queueRun } from './start-execution.ts'
import { endExecution } from './stored-execution.ts'

interface Held extends Record<string, unknown> {
  readonly ownerId: string
  readonly triggerId: string
  readonly status: AiExecutionStatus
  readonly plan: readonly PlannedAction[]
}

/** The execution, locked, if its actions wait for a decision. Who approves them acts as the owner of the trigger. */
async function requireHeld(ctx: RequestContext, id: string): Promise<Held> {
  const [found] = isId(id)
    ? await ctx.db.query<Held>(
        `select owner_id as "ownerId", trigger_id as "triggerId", status, plan from assistant.ai_execution
         where organization_id = $1 and id = $2 for update`,
        [ctx.caller.organizationId, id],
        'WRITE',
      )
    : []
  if (!found) throw unknownExecution()
  await requireRightToActAs(ctx, found.ownerId)
  if (found.status === 'AWAITING_APPROVAL') return found
  throw refusalInSituation(`An execution that is ${found.status} waits for no approval.`)
}

const decided = (ctx: RequestContext, id: string): Promise<unknown> =>
  ctx.db.query(
    'update assistant.ai_execution set decided_by_id = $3 where organization_id = $1 and id = $2',
    [ctx.caller.organizationId, id, ctx.caller.userId],
    'WRITE',
  )

/** Lets the actions be taken, as they are stored. */
export async function approveExecution(ctx: RequestContext, id: string): Promise<AiExecution> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { triggerId } = await requireHeld(inner, id)
    const { organizationId } = inner.caller
    await inner.db.query(
      `update assistant.ai_execution set status = 'RUNNING' where organization_id = $1 and id = $2`,
      [organizationId, id],
      'WRITE',
    )
    await decided(inner, id)
    await queueRun(inner.db, organizationId, triggerId, id)
    return readExecutionOf(inner, id)
  })
}

export async function rejectExecution(ctx: RequestContext, id: string, reason: string | null): Promise<AiExecution> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { plan } = await requireHeld(inner, id)
    const { organizationId } = inner.caller
    const failure = { code: 'REJECTED', message: reason ?? 'The actions were rejected.' }
    await decided(inner, id)
    await inner.db.query(
      'update assistant.ai_execution set plan = $3 where organization_id = $1 and id = $2',
      [organizationId, id, JSON.stringify(plan.map((action) => ({ ...action, status: 'SKIPPED' })))],
      'WRITE',
    )
    await endExecution(inner.db, organizationId, id, { status: 'SKIPPED', failure }, inner.clock.now())
    return readExecutionOf(inner, id)
  })
}
