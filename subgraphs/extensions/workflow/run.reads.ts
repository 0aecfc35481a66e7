import { seesLess } from '../../identity/public.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { stepsShown, type WorkflowRun, type WorkflowRunListArgs, type WorkflowRunStep } from './run.types.ts'
import { runTable } from './workflow.migrations.ts'

export const unknownRun = () => notFound('The run')

const columns = `r.id, r.workflow_id as "workflowId", r.workflow_version as "workflowVersion", r.status, r.trigger_type as "triggerType",
  r.event_id as "eventId", r.record_type as "recordType", r.record_id as "recordId", r.started_by_id as "startedById", r.input, r.depth,
  r.executed_steps as "executedSteps", r.error_code as "errorCode", r.error_message as "errorMessage", r.error_step_id as "errorStepId",
  r.created_at as "createdAt", r.started_at as "startedAt", r.resume_at as "resumeAt", r.ended_at as "endedAt", v.run_as_user_id as "runAsUserId"`

const source = `${runTable.table} r join extensions.workflow_version v on v.organization_id = r.organization_id
  and v.workflow_id = r.workflow_id and v.number = r.workflow_version`

interface Row extends Omit<WorkflowRun, 'trigger' | 'error' | 'steps'>, Record<string, unknown> {
  readonly triggerType: WorkflowRun['trigger']['type']
  readonly eventId: string | null
  readonly recordType: string | null
  readonly recordId: string | null
  readonly startedById: string | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly errorStepId: string | null
  readonly runAsUserId: string
}

/** What a run got and returned is what its run-as user sees: others get it only if they see everything. */
const maySee = ({ caller }: RequestContext, runAsUserId: string): boolean =>
  !seesLess(caller) || caller.userId === runAsUserId

/** Instead of a message, which may have values of what the run-as user sees. */
const hiddenMessage =
  'The message is shown to those who see all records and fields, and to the user as whom the run acts.'

const errorOf = (code: string | null, message: string | null, stepId: string | null): WorkflowRun['error'] =>
  code === null ? null : { code, message: message ?? '', stepId }

function shown(ctx: RequestContext, row: Row, steps: WorkflowRunStep[] | null): WorkflowRun {
  const { triggerType: type, eventId, recordType, recordId, startedById, errorCode, errorMessage, errorStepId } = row
  const isSeen = maySee(ctx, row.runAsUserId)
  return {
    ...row,
    input: isSeen ? row.input : null,
    trigger: { type, eventId: eventId && `evt_${eventId}`, recordType, recordId, startedById },
    error: errorOf(errorCode, isSeen ? errorMessage : hiddenMessage, errorStepId),
    steps,
  }
}

interface StepRow extends Omit<WorkflowRunStep, 'error'>, Record<string, unknown> {
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

async function stepsOf(ctx: RequestContext, id: string, isSeen: boolean): Promise<WorkflowRunStep[]> {
  const rows = await ctx.db.query<StepRow>(
    `select step_id as "stepId", type, status, position, iteration, attempt, input, output, error_code as "errorCode",
       error_message as "errorMessage", decision, decided_by_id as "decidedById", started_at as "startedAt", ended_at as "endedAt"
     from extensions.workflow_run_step where organization_id = $1 and run_id = $2
     order by position desc, attempt desc limit ${stepsShown}`,
    [ctx.caller.organizationId, id],
  )
  return rows.toReversed().map(({ errorCode, errorMessage, ...row }) => ({
    ...row,
    input: isSeen ? row.input : null,
    output: isSeen ? row.output : null,
    error: errorOf(errorCode, isSeen ? errorMessage : hiddenMessage, null),
  })) as WorkflowRunStep[]
}

/** A run with its steps, whoever reads it. */
export async function runWithSteps(ctx: RequestContext, id: string): Promise<WorkflowRun> {
  const [row] = isId(id)
    ? await ctx.db.query<Row>(`select ${columns} from ${source} where r.organization_id = $1 and r.id = $2`, [
        ctx.caller.organizationId,
        id,
      ])
    : []
  if (!row) throw unknownRun()
  return shown(ctx, row, await stepsOf(ctx, row.id, maySee(ctx, row.runAsUserId)))
}

export function readWorkflowRun(ctx: RequestContext, id: string): Promise<WorkflowRun> {
  requireAdministrator(ctx)
  return runWithSteps(ctx, id)
}

/** The runs of the organization, newest first. */
export async function pageOfRuns(ctx: RequestContext, args: WorkflowRunListArgs, info: SelectionInfo) {
  requireAdministrator(ctx)
  const values: unknown[] = [ctx.caller.organizationId]
  const conditions = ['r.organization_id = $1']
  for (const [name, column] of [
    ['workflowId', 'r.workflow_id'],
    ['recordId', 'r.record_id'],
  ] as const) {
    const id = args[name]
    if (id == null) continue
    if (!isId(id)) throw invalid({ path: name, code: 'NOT_AN_ID', message: `${name} must be an id.` })
    conditions.push(`${column} = $${values.push(id)}`)
  }
  if (args.status != null) conditions.push(`r.status = $${values.push(args.status)}`)
  const list = {
    select: columns,
    from: `${source} where ${conditions.join(' and ')}`,
    values,
    key: { sql: 'r.id', type: 'uuid', of: (row: { [name: string]: unknown }) => row['id'] },
  } as const
  const page = await newestFirst(ctx, list, args, info)
  return { ...page, data: page.data.map((row) => shown(ctx, row as unknown as Row, null)) }
}
