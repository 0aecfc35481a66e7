import { newId } from '../../kernel/ids.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { startsPerMinute } from './bounds.ts'
import { firstCursor } from './cursor.ts'
import { workflow } from './workflow.record.ts'
import type { Workflow } from './workflow.ts'
import type { WorkflowTriggerType } from './workflow.enumerations.ts'
import { runTable } from './workflow.migrations.ts'

/** What a start needs to know of its workflow. */
export type Startable = Pick<Workflow, 'id' | 'stepsVersion' | 'runOnce' | 'delayMinutes' | 'steps'>

export interface NewRun {
  readonly workflow: Startable
  readonly triggerType: WorkflowTriggerType
  readonly eventId?: string
  readonly eventPosition?: number
  readonly recordType?: string | null
  readonly recordId?: string | null
  readonly input?: unknown
  readonly depth: number
  readonly startedById?: string
  /** What starts it at most once; null: each call does. */
  readonly startKey: string | null
}

const minuteOf = (now: Date): string => new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString()

/**
 * Queues a run in the transaction of the context, and returns its id; null if the same start has queued one, or the workflow has run for the record. More than
 * 500 starts in a minute pause the workflow.
 */
export async function startRun(ctx: RequestContext, started: NewRun): Promise<string | null> {
  const { organizationId } = ctx.caller
  const { workflow: of, recordId = null, input } = started
  const id = newId()
  const inserted = await ctx.db.query(
    `with once as (
       insert into extensions.workflow_once (organization_id, workflow_id, record_id)
       select $1, $3, $9::uuid where $14 on conflict do nothing returning 1
     )
     insert into ${runTable.table} (organization_id, id, workflow_id, workflow_version, trigger_type, event_id, event_position, record_type,
       record_id, input, depth, started_by_id, start_key, cursor, created_at, next_attempt_at, is_due)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $15, $16,
       date_trunc('milliseconds', clock_timestamp()) + $17 * interval '1 minute', $17 = 0
     where not $14 or exists (select from once)
     on conflict (organization_id, workflow_id, start_key) where start_key is not null do nothing returning 1`,
    [
      organizationId,
      id,
      of.id,
      of.stepsVersion,
      started.triggerType,
      started.eventId ?? null,
      started.eventPosition ?? null,
      started.recordType ?? null,
      recordId,
      input === undefined ? null : storableJson(input),
      started.depth,
      started.startedById ?? null,
      started.startKey,
      of.runOnce && recordId !== null,
      JSON.stringify(firstCursor(of.steps[0]!.id)),
      ctx.clock.now().toISOString(),
      of.delayMinutes,
    ],
    'WRITE',
  )
  if (inserted.length === 0) return null
  await countStart(ctx, of.id)
  return id
}

async function countStart(ctx: RequestContext, workflowId: string): Promise<void> {
  const [row] = await ctx.db.query<{ count: number }>(
    `insert into extensions.workflow_starts as s (organization_id, workflow_id, minute, count) values ($1, $2, $3, 1)
     on conflict (organization_id, workflow_id) do update set minute = excluded.minute,
       count = case when s.minute = excluded.minute then s.count + 1 else 1 end
     returning count`,
    [ctx.caller.organizationId, workflowId, minuteOf(ctx.clock.now())],
    'WRITE',
  )
  if (row!.count !== startsPerMinute + 1) return
  await change(ctx, workflow, workflowId, ({ status }) => {
    if (status !== 'ACTIVE') return { operation: 'UPDATE', values: {} }
    const implied = { status: 'PAUSED', pausedReason: 'TOO_MANY_STARTS' } as const
    return { operation: 'UPDATE', values: {}, implied, events: ['workflow.paused'] }
  })
}
