import { storableText } from '../../kernel/json/storable-json.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { AiAction } from '../ai-trigger/ai-action.ts'
import type { AiExecutionStatus } from './ai-execution.types.ts'
import type { ExecutionInput } from './fitting-input.ts'
import type { PlannedAction } from './plan.ts'

/** An execution with the settings of its trigger, as a worker needs them. */
export interface StoredExecution {
  readonly id: string
  readonly triggerId: string
  readonly triggerName: string
  readonly isDeleted: boolean
  readonly ownerId: string
  readonly status: AiExecutionStatus
  readonly depth: number
  readonly input: ExecutionInput
  readonly output: unknown
  readonly plan: readonly PlannedAction[]
  readonly prompt: string
  readonly outputSchema: Readonly<Record<string, unknown>>
  readonly actions: readonly AiAction[]
  readonly requireApproval: boolean
  readonly createdAt: string
  readonly startedAt: string | null
}

export async function readExecution(sql: Sql, organizationId: string, id: string): Promise<StoredExecution | null> {
  const [row] = await sql.query<StoredExecution & Record<string, unknown>>(
    `select e.id, e.trigger_id as "triggerId", t.name as "triggerName", t.deleted_at is not null as "isDeleted", e.owner_id as "ownerId",
       e.status, e.depth, e.input, e.output, e.plan, t.prompt, t.output_schema as "outputSchema", t.actions,
       t.require_approval as "requireApproval", e.created_at as "createdAt", e.started_at as "startedAt"
     from assistant.ai_execution e join assistant.ai_trigger t on t.organization_id = e.organization_id and t.id = e.trigger_id
     where e.organization_id = $1 and e.id = $2`,
    [organizationId, id],
  )
  return row ?? null
}

export interface Failure {
  readonly code: string
  readonly message: string
}

/** Ends an execution that has not ended. `lease` is SQL that holds while the worker may write; see `leaseHeld`. */
export async function endExecution(
  sql: Sql,
  organizationId: string,
  id: string,
  ended: { readonly status: 'SUCCEEDED' | 'FAILED' | 'SKIPPED'; readonly failure: Failure | null },
  now: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `update assistant.ai_execution set status = $3, error_code = $4, error_message = $5, completed_at = $6,
       duration_ms = greatest(0, extract(epoch from $6::timestamptz - started_at) * 1000)::int
     where organization_id = $1 and id = $2 and status in ('PENDING', 'RUNNING', 'AWAITING_APPROVAL') returning 1`,
    [
      organizationId,
      id,
      ended.status,
      ended.failure?.code ?? null,
      ended.failure ? storableText(ended.failure.message) : null,
      now.toISOString(),
    ],
    'WRITE',
  )
  return rows.length > 0
}
