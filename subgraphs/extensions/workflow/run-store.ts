import type { Sql } from '../../kernel/database/sql.ts'
import { queueChannel } from '../../kernel/queue/queue-table.ts'
import type { Cursor } from './cursor.ts'
import type { WorkflowStep } from './workflow-step.ts'
import { runTable } from './workflow.migrations.ts'
import type {
  WorkflowDecision,
  WorkflowRunStatus,
  WorkflowStatus,
  WorkflowStepStatus,
  WorkflowTriggerType,
} from './workflow.enumerations.ts'

/** A run with the version of its steps, as a worker needs them. */
export interface StoredRun extends Record<string, unknown> {
  readonly id: string
  readonly organizationId: string
  readonly workflowId: string
  readonly workflowName: string
  readonly workflowStatus: WorkflowStatus
  readonly isDeleted: boolean
  readonly ownerId: string
  readonly runAsUserId: string
  /** The slug of the app that brought the workflow; null for one of the organization. */
  readonly managedBy: string | null
  readonly steps: readonly WorkflowStep[]
  readonly status: WorkflowRunStatus
  readonly triggerType: WorkflowTriggerType
  readonly eventId: string | null
  readonly eventPosition: number | null
  readonly recordType: string | null
  readonly recordId: string | null
  readonly input: unknown
  readonly depth: number
  readonly cursor: Cursor
  readonly startedAt: string | null
  readonly resumeAt: string | null
}

/** The steps of a run that is cancelled are not open any more. */
export const cancelOpenSteps = (sql: Sql, organizationId: string, runId: string, at: string): Promise<unknown> =>
  sql.query(
    `update extensions.workflow_run_step set status = 'CANCELLED', ended_at = $3
     where organization_id = $1 and run_id = $2 and status in ('RUNNING', 'WAITING')`,
    [organizationId, runId, at],
    'WRITE',
  )

export async function readRun(sql: Sql, organizationId: string, id: string): Promise<StoredRun | null> {
  const [row] = await sql.query<StoredRun>(
    `select r.id, r.organization_id as "organizationId", r.workflow_id as "workflowId", w.name as "workflowName", w.status as "workflowStatus",
       w.deleted_at is not null as "isDeleted", coalesce(w.updated_by_id, w.created_by_id, v.run_as_user_id) as "ownerId",
       v.run_as_user_id as "runAsUserId", w.managed_by as "managedBy", v.steps, r.status, r.trigger_type as "triggerType", r.event_id as "eventId",
       r.event_position as "eventPosition", r.record_type as "recordType", r.record_id as "recordId", r.input, r.depth, r.cursor,
       r.started_at as "startedAt", r.resume_at as "resumeAt"
     from ${runTable.table} r
     join extensions.workflow w on w.organization_id = r.organization_id and w.id = r.workflow_id
     join extensions.workflow_version v on v.organization_id = r.organization_id and v.workflow_id = r.workflow_id
       and v.number = r.workflow_version
     where r.organization_id = $1 and r.id = $2`,
    [organizationId, id],
  )
  return row ?? null
}

export interface StoredStep extends Record<string, unknown> {
  readonly stepId: string
  readonly position: number
  readonly attempt: number
  readonly status: WorkflowStepStatus
  readonly input: unknown
  readonly output: unknown
  readonly decision: WorkflowDecision | null
  readonly decidedById: string | null
  readonly comment: string | null
}

const stepColumns = `step_id as "stepId", position, attempt, status, input, output, decision, decided_by_id as "decidedById", comment`

/** The last execution of each step, and those of the given positions. */
export function readSteps(sql: Sql, { organizationId, id, cursor }: StoredRun): Promise<StoredStep[]> {
  const positions = [...cursor.frames.map(({ position }) => position), cursor.position]
  return sql.query<StoredStep>(
    `select ${stepColumns} from (
       select distinct on (step_id) * from extensions.workflow_run_step where organization_id = $1 and run_id = $2
       order by step_id, position desc, attempt desc
     ) latest
     union all
     select ${stepColumns} from extensions.workflow_run_step
     where organization_id = $1 and run_id = $2 and position = any($3::int[])`,
    [organizationId, id, positions],
  )
}

/** Makes the waiting runs of a workflow due. */
export async function wakeWaitingRuns(sql: Sql, organizationId: string, workflowId: string): Promise<void> {
  await sql.query(
    `update ${runTable.table} set is_due = true, next_attempt_at = statement_timestamp()
     where organization_id = $1 and workflow_id = $2 and state = 'QUEUED' and lease_token is null`,
    [organizationId, workflowId],
    'WRITE',
  )
  await notifyWorkers(sql)
}

export const notifyWorkers = (sql: Sql): Promise<unknown> =>
  sql.query('select pg_notify($1, $2)', [queueChannel, runTable.name])
