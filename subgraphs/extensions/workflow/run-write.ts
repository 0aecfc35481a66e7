import { storableJson, storableText } from '../../kernel/json/storable-json.ts'
import type { Leased, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Change, TrackedObject } from '../../kernel/record/event-types.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import type { Port, RequestContext } from '../../kernel/request.ts'
import type { Cursor } from './cursor.ts'
import { runChanges, type RunPayload } from './run.events.ts'
import type { StoredRun } from './run-store.ts'
import type { Announcement, StepFailure } from './steps/step-type.ts'
import { runTable } from './workflow.migrations.ts'
import type { WorkflowRunStatus, WorkflowStepStatus } from './workflow.enumerations.ts'

export interface RunItem extends QueuedItem {
  readonly workflowId: string
}

/** A turn of a run in this process. Each statement writes only while it has the lease. */
export interface Turn {
  readonly ctx: RequestContext<Port>
  readonly run: StoredRun
  readonly item: Leased<RunItem>
}

/** Another process has the run, or it was cancelled. */
export class LeaseLost extends Error {}

const silent: TrackedObject<RunPayload> = { object: runChanges.object }
const open = `status in ('QUEUED', 'RUNNING', 'WAITING')`

const payloadOf = ({ run }: Turn, stepId: string | null): RunPayload => ({
  id: run.id,
  organizationId: run.organizationId,
  workflowId: run.workflowId,
  workflowName: run.workflowName,
  ownerId: run.ownerId,
  stepId,
  recordType: run.recordType,
  recordId: run.recordId,
})

/** Begins the execution of a step, and returns its input: that of the first time if it is repeated. */
export async function writeBegin(
  { ctx, run, item }: Turn,
  cursor: Cursor,
  row: { readonly stepId: string; readonly type: string; readonly input: unknown },
): Promise<unknown> {
  const now = ctx.clock.now().toISOString()
  const [begun] = await ctx.db.query<{ input: unknown }>(
    `with locked as (
       update ${runTable.table} set status = 'RUNNING', started_at = coalesce(started_at, $4), resume_at = null, cursor = $5, executed_steps = $6
       where organization_id = $1 and id = $2 and lease_token = $3 and ${open} returning 1
     )
     insert into extensions.workflow_run_step as s (organization_id, run_id, position, attempt, step_id, type, iteration, status, input, started_at)
     select $1, $2, $6, $7, $8, $9, $10, 'RUNNING', $11, $4 from locked
     on conflict (organization_id, run_id, position, attempt) do update set status = 'RUNNING' returning s.input`,
    [
      run.organizationId,
      run.id,
      item.token,
      now,
      JSON.stringify({ ...cursor, isOpen: true }),
      cursor.position,
      cursor.attempt,
      row.stepId,
      row.type,
      cursor.frames.at(-1)?.index ?? null,
      storableJson(row.input),
    ],
    'WRITE',
  )
  if (!begun) throw new LeaseLost()
  return begun.input
}

export interface Settled {
  /** The execution whose outcome is stored; null if the run changes without one. */
  readonly step: {
    readonly position: number
    readonly attempt: number
    readonly stepId: string
    readonly status: WorkflowStepStatus
    readonly output?: unknown
    readonly failure?: StepFailure
  } | null
  readonly cursor: Cursor
  readonly status: WorkflowRunStatus
  /** Why the run has ended, if it has failed or was ended. */
  readonly failure?: StepFailure & { readonly stepId: string | null }
  /** The run gives its turn back and is due after these milliseconds, by the clock of the database as all of the queue; absent: it goes on, or has ended. */
  readonly dueInMs?: number
  readonly resumeAt?: Date | null
  readonly announcement?: Announcement | undefined
}

const endings: ReadonlySet<WorkflowRunStatus> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'SKIPPED'])

/** Stores the outcome of a step with the place where the run is then, and the event that follows from it. Throws unless the turn has its lease. */
export async function writeSettled(turn: Turn, settled: Settled): Promise<void> {
  const { ctx, run, item } = turn
  const { step, announcement, failure, status } = settled
  const next: RunPayload = {
    ...payloadOf(turn, step?.stepId ?? failure?.stepId ?? null),
    ...(announcement && { recipientIds: announcement.recipientIds, message: announcement.message }),
    ...(status === 'FAILED' && { errorCode: failure!.code, errorMessage: storableText(failure!.message) }),
  }
  const type = announcement?.type ?? (status === 'FAILED' ? 'workflow.failed' : null)
  const change: Change<RunPayload> = {
    operation: 'CREATE',
    previous: null,
    next,
    ...(type && { events: [type], isEventReplaced: true }),
  }
  const isWritten = await writeChange(ctx, type ? runChanges : silent, change, (values) => ({
    locked: runUpdate(values, run, item.token, settled, ctx.clock.now()),
    ...(step && { step: stepUpdate(values, run, step, ctx.clock.now()) }),
    written: 'select 1 from locked',
  }))
  if (!isWritten) throw new LeaseLost()
}

function runUpdate(values: Values, run: StoredRun, token: string, settled: Settled, now: Date): string {
  const { cursor, status, failure, dueInMs, resumeAt = null } = settled
  const add = (value: unknown): string => values.add(value)
  const isEnded = endings.has(status)
  const sets = [
    `cursor = ${add(JSON.stringify(cursor))}`,
    `status = ${add(status)}`,
    `resume_at = ${add(resumeAt?.toISOString() ?? null)}`,
    `error_code = ${add(failure?.code ?? null)}`,
    `error_message = ${add(failure ? storableText(failure.message) : null)}`,
    `error_step_id = ${add(failure?.stepId ?? null)}`,
    ...(isEnded
      ? [
          `state = ${add(status)}`,
          `ended_at = ${add(now.toISOString())}`,
          'finished_at = statement_timestamp()',
          'lease_token = null',
          'is_due = false',
        ]
      : []),
    ...(dueInMs !== undefined
      ? [
          'lease_token = null',
          'attempts = 0',
          'is_due = false',
          `next_attempt_at = statement_timestamp() + ${add(Math.max(dueInMs, 0))} * interval '1 millisecond'`,
        ]
      : []),
  ]
  return `update ${runTable.table} set ${sets.join(', ')}
    where organization_id = ${add(run.organizationId)} and id = ${add(run.id)} and lease_token = ${add(token)} and ${open} returning 1 as id`
}

function stepUpdate(values: Values, run: StoredRun, step: NonNullable<Settled['step']>, now: Date): string {
  const { position, attempt, status, output, failure } = step
  const add = (value: unknown): string => values.add(value)
  const isOver = status !== 'WAITING' && status !== 'RUNNING'
  return `update extensions.workflow_run_step set status = ${add(status)}, output = ${add(output === undefined ? null : storableJson(output))},
      error_code = ${add(failure?.code ?? null)}, error_message = ${add(failure ? storableText(failure.message) : null)},
      ended_at = ${add(isOver ? now.toISOString() : null)}
    where organization_id = ${add(run.organizationId)} and run_id = ${add(run.id)} and position = ${add(position)}
      and attempt = ${add(attempt)} and exists (select from locked) returning 1`
}
