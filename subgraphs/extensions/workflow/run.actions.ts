import { requireRightToActAs } from '../../identity/public.ts'
import { requireDepth } from '../../kernel/automation/depth.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { stepDataMax } from './bounds.ts'
import { objectNamed, shapeIn } from './objects.ts'
import { runWithSteps, unknownRun } from './run.reads.ts'
import type { WorkflowRun } from './run.types.ts'
import { cancelOpenSteps, notifyWorkers } from './run-store.ts'
import { startRun } from './start-run.ts'
import { runTable } from './workflow.migrations.ts'
import { workflow } from './workflow.record.ts'
import type { Workflow } from './workflow.ts'
import type { WorkflowDecision, WorkflowRunStatus } from './workflow.enumerations.ts'

export interface RunRequest {
  readonly recordType?: string | null
  readonly recordId?: string | null
  readonly input?: unknown
}

function checkedInput(input: unknown): object | undefined {
  if (input == null) return undefined
  const problem = (code: string, message: string) => invalid({ path: 'input.input', code, message })
  if (!isJsonObject(input)) throw problem('WRONG_TYPE', 'input.input must be an object.')
  if (JSON.stringify(input).length > stepDataMax)
    throw problem('TOO_LONG', `input.input must have at most ${stepDataMax} characters as JSON.`)
  return input
}

/** The record of a run, which must be of the type of the workflow and visible to the caller. */
async function checkedRecord(
  ctx: RequestContext,
  { triggerEntity }: Workflow,
  { recordType, recordId }: RunRequest,
): Promise<string | null> {
  const object = objectNamed(triggerEntity)
  if (recordType != null && recordType !== triggerEntity)
    throw refusalInSituation(`The workflow is not for records of the type ${recordType}.`)
  if (!object) {
    if (recordId == null) return null
    throw refusalInSituation('The workflow has no type of records, so it runs without one.')
  }
  if (recordId == null)
    throw invalid({ path: 'input.recordId', code: 'REQUIRED', message: 'input.recordId is required.' })
  const shape = shapeIn(ctx.shapes, object)
  if (!shape || (await stateOf(ctx, shape, recordId)) !== 'LIVE') throw notFound(`The ${nameOf(object)}`)
  return recordId.toLowerCase()
}

export async function runWorkflow(ctx: RequestContext, id: string, request: RunRequest): Promise<WorkflowRun> {
  requireAdministrator(ctx)
  const input = checkedInput(request.input)
  const depth = (ctx.caller.depth ?? 0) + 1
  requireDepth(depth)
  return inTransaction(ctx, async (inner) => {
    const found = await recordsOf(workflow).require(inner, id)
    if (found.status !== 'ACTIVE') throw refusalInSituation('The workflow is PAUSED.', { allowed: ['ACTIVE'] })
    if (!found.allowManual) throw refusalInSituation('The workflow must not be run by hand: allowManual is false.')
    const recordId = await checkedRecord(inner, found, request)
    const run = await startRun(inner, {
      workflow: found,
      triggerType: 'MANUAL',
      recordType: found.triggerEntity,
      recordId,
      input,
      depth,
      startedById: inner.caller.userId,
      startKey: null,
    })
    if (run === null) throw refusalInSituation('The workflow has run for this record, and runs once for each.')
    return runWithSteps(inner, run)
  })
}

interface Locked extends Record<string, unknown> {
  readonly status: WorkflowRunStatus
  readonly runAsUserId: string
  readonly isDeleted: boolean
  readonly resumeAt: string | null
}

async function lockedRun({ db, caller }: RequestContext, id: string): Promise<Locked> {
  const [row] = isId(id)
    ? await db.query<Locked>(
        `select r.status, r.resume_at as "resumeAt", v.run_as_user_id as "runAsUserId", w.deleted_at is not null as "isDeleted"
         from ${runTable.table} r
         join extensions.workflow w on w.organization_id = r.organization_id and w.id = r.workflow_id
         join extensions.workflow_version v on v.organization_id = r.organization_id and v.workflow_id = r.workflow_id
           and v.number = r.workflow_version
         where r.organization_id = $1 and r.id = $2 for update of r`,
        [caller.organizationId, id],
        'WRITE',
      )
    : []
  if (!row) throw unknownRun()
  return row
}

const refusedIn = (status: WorkflowRunStatus, what: string, allowed: readonly WorkflowRunStatus[] = []) =>
  refusalInSituation(`A run that is ${status} cannot be ${what}.`, { allowed })

/** Makes a run due at once. */
async function resume({ db, caller }: RequestContext, id: string, sets: string): Promise<void> {
  await db.query(
    `update ${runTable.table} set ${sets}, state = 'QUEUED', attempts = 0, lease_token = null, is_due = true, finished_at = null,
       next_attempt_at = statement_timestamp()
     where organization_id = $1 and id = $2`,
    [caller.organizationId, id],
    'WRITE',
  )
  await notifyWorkers(db)
}

/** Begins a failed run again at the step that has failed, with the version of the steps that it has. */
export function retryRun(ctx: RequestContext, id: string): Promise<WorkflowRun> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { status, runAsUserId, isDeleted } = await lockedRun(inner, id)
    await requireRightToActAs(inner, runAsUserId)
    if (status !== 'FAILED') throw refusedIn(status, 'retried')
    if (isDeleted) throw refusalInSituation('The workflow was deleted.')
    const cleared = 'error_code = null, error_message = null, error_step_id = null, ended_at = null'
    await resume(inner, id, `status = 'QUEUED', ${cleared}`)
    return runWithSteps(inner, id)
  })
}

/** Ends a run. What its current step does is not taken back, and is not recorded. */
export function cancelRun(ctx: RequestContext, id: string): Promise<WorkflowRun> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { status } = await lockedRun(inner, id)
    if (!['QUEUED', 'RUNNING', 'WAITING'].includes(status)) throw refusedIn(status, 'cancelled')
    const values = [inner.caller.organizationId, id, inner.clock.now().toISOString()] as const
    await inner.db.query(
      `update ${runTable.table} set status = 'CANCELLED', state = 'CANCELLED', ended_at = $3, finished_at = statement_timestamp(),
         resume_at = null, lease_token = null, is_due = false where organization_id = $1 and id = $2`,
      values,
      'WRITE',
    )
    await cancelOpenSteps(inner.db, ...values)
    return runWithSteps(inner, id)
  })
}

interface Asked extends Record<string, unknown> {
  readonly position: number
  readonly attempt: number
  readonly approverIds: readonly string[] | null
  readonly status: string
  readonly decision: WorkflowDecision | null
}

async function approvalOf({ db, caller }: RequestContext, id: string, stepId: string): Promise<Asked | null> {
  const [row] = await db.query<Asked>(
    `select position, attempt, input -> 'approverIds' as "approverIds", status, decision from extensions.workflow_run_step
     where organization_id = $1 and run_id = $2 and step_id = $3 and type = 'APPROVAL' order by position desc, attempt desc limit 1`,
    [caller.organizationId, id, stepId],
  )
  return row ?? null
}

const isAdministrator = ({ caller }: RequestContext): boolean => caller.role === 'OWNER' || caller.role === 'ADMIN'

/** Decides an approval that a run waits for: one of the users whom it asks, or who may act as its run-as user. */
export function decideStep(
  ctx: RequestContext,
  id: string,
  stepId: string,
  decision: WorkflowDecision,
  comment: string | null,
): Promise<WorkflowRun> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const run = await lockedRun(inner, id)
    const asked = await approvalOf(inner, id, stepId)
    const isApprover = asked?.approverIds?.includes(inner.caller.userId) ?? false
    if (!isApprover) {
      if (!isAdministrator(inner)) throw unknownRun()
      await requireRightToActAs(inner, run.runAsUserId)
    }
    if (!asked) throw notFound('The approval')
    const isOver = run.resumeAt !== null && Date.parse(run.resumeAt) <= inner.clock.now().getTime()
    if (run.status !== 'WAITING' || asked.status !== 'WAITING' || asked.decision !== null || isOver || run.isDeleted)
      throw refusalInSituation('The run does not wait for a decision on this step.')
    await inner.db.query(
      `update extensions.workflow_run_step set decision = $5, decided_by_id = $6, comment = $7
       where organization_id = $1 and run_id = $2 and position = $3 and attempt = $4`,
      [inner.caller.organizationId, id, asked.position, asked.attempt, decision, inner.caller.userId, comment],
      'WRITE',
    )
    await resume(inner, id, `status = 'RUNNING', resume_at = null`)
    return runWithSteps(inner, id)
  })
}
