import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import type { AiExecutionStatus } from './ai-execution.types.ts'
import type { ExecutionInput } from './fitting-input.ts'

/** Executions of an hour that are recorded although they do not begin. */
export const skippedMax = 100

export interface StartedTrigger {
  readonly id: string
  readonly ownerId: string
  readonly rateLimitPerHour: number
}

export interface NewExecution {
  readonly organizationId: string
  readonly trigger: StartedTrigger
  readonly requestKey: string
  readonly eventId: string | null
  readonly eventType: string | null
  readonly depth: number
  readonly input: ExecutionInput
  readonly sight: string | null
  /** Why it is not begun; null if it is. */
  readonly refused: { readonly status: 'FAILED' | 'SKIPPED'; readonly code: string; readonly message: string } | null
}

export interface Started {
  readonly id: string
  readonly status: AiExecutionStatus
}

const hourOf = (now: Date): string => new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000).toISOString()

/** Counts an execution in the hour of the clock: whether it begins, and if not, the number of this one among those that do not. */
async function countStart(
  sql: Sql,
  { organizationId, trigger, refused }: NewExecution,
  now: Date,
): Promise<{ readonly begins: boolean; readonly skipped: number }> {
  const [row] = await sql.query<{ begins: boolean; skipped: number }>(
    `with before as (
       select case when hour = $3 then hour_count else 0 end as begun, case when hour = $3 then hour_skipped else 0 end as skipped
       from assistant.ai_trigger_state where organization_id = $1 and trigger_id = $2 for update
     ), decided as (select *, $4::boolean and begun < $5 as begins from before)
     update assistant.ai_trigger_state s set hour = $3, hour_count = d.begun + d.begins::int,
       hour_skipped = least(d.skipped, 1000000) + (not d.begins)::int
     from decided d where s.organization_id = $1 and s.trigger_id = $2 returning d.begins, s.hour_skipped as skipped`,
    [organizationId, trigger.id, hourOf(now), refused === null, trigger.rateLimitPerHour],
    'WRITE',
  )
  return row ?? { begins: refused === null, skipped: 1 }
}

/**
 * Records the execution of a trigger for an event or a request, and queues it, in the transaction of `sql`. Null if it does not begin, like so
 * many others of the hour that not even that is recorded. The same event or request returns the execution that it has started.
 */
export async function startExecution(sql: Sql, wanted: NewExecution, now: Date): Promise<Started | null> {
  const { organizationId, trigger, requestKey, eventId, eventType, depth, input, sight } = wanted
  const before = await executionOf(sql, wanted)
  if (before) return before
  const { begins, skipped } = await countStart(sql, wanted, now)
  const { rateLimitPerHour: max } = trigger
  if (!begins && skipped > skippedMax) return null
  const limited = {
    status: 'SKIPPED',
    code: 'RATE_LIMITED',
    message: `The trigger begins at most ${max} executions in an hour.`,
  } as const
  const refused = wanted.refused ?? (begins ? null : limited)
  const [id, at] = [newId(), now.toISOString()]
  const status = refused?.status ?? 'PENDING'
  const inserted = await sql.query(
    `insert into assistant.ai_execution (organization_id, id, trigger_id, owner_id, status, request_key, event_id, event_type, depth, input, sight,
       error_code, error_message, created_at, completed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (organization_id, trigger_id, request_key) where request_key is not null do nothing returning 1`,
    [
      organizationId,
      id,
      trigger.id,
      trigger.ownerId,
      status,
      requestKey,
      eventId,
      eventType,
      depth,
      storableJson(input),
      sight,
      refused?.code ?? null,
      refused?.message ?? null,
      at,
      refused ? at : null,
    ],
    'WRITE',
  )
  if (inserted.length === 0) return executionOf(sql, wanted)
  if (!refused) {
    await queueRun(sql, organizationId, trigger.id, id)
    await sql.query(
      `update assistant.ai_trigger_state set execution_count = execution_count + 1, last_executed_at = $3
       where organization_id = $1 and trigger_id = $2`,
      [organizationId, trigger.id, at],
      'WRITE',
    )
  }
  return { id, status }
}

async function executionOf(sql: Sql, { organizationId, trigger, requestKey }: NewExecution): Promise<Started | null> {
  const [row] = await sql.query<{ id: string; status: AiExecutionStatus }>(
    'select id, status from assistant.ai_execution where organization_id = $1 and trigger_id = $2 and request_key = $3',
    [organizationId, trigger.id, requestKey],
  )
  return row ?? null
}

export const queueRun = (sql: Sql, organizationId: string, triggerId: string, executionId: string): Promise<unknown> =>
  sql.query(
    'insert into assistant.ai_run (organization_id, id, execution_id, trigger_id) values ($1, $2, $3, $4)',
    [organizationId, newId(), executionId, triggerId],
    'WRITE',
  )
