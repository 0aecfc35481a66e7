import { scopesOfEventTypes } from '../../kernel/acting-scopes.ts'
import type { Caller } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { shownEventId } from '../../events/public.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { figures } from '../../kernel/record/stats.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { aiTrigger } from '../ai-trigger/ai-trigger.record.ts'
import type { AiExecution, AiExecutionListArgs, AiExecutionPage, AiWorkflowStats } from './ai-execution.types.ts'
import type { PlannedAction } from './plan.ts'
import { maySee } from './sight.ts'

const columns = `e.id, e.trigger_id as "triggerId", e.status, e.is_test as "isTest", e.event_type as "eventType", e.event_id as "eventId", e.input,
  e.output, e.plan, e.error_code as "errorCode", e.error_message as "errorMessage", e.usage, e.sight, e.created_at as "createdAt",
  e.started_at as "startedAt", e.completed_at as "completedAt", e.duration_ms as "durationMs", e.expires_at as "expiresAt",
  e.decided_by_id as "decidedById"`

interface Row extends Omit<AiExecution, 'actionsTaken' | 'error'>, Record<string, unknown> {
  readonly plan: readonly PlannedAction[]
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly sight: string | null
}

const timeOf = (value: string | null): string | null => (value === null ? null : new Date(value).toISOString())

/** Whether the credential may read the records that events of the type contain. */
const receives = (caller: Caller, eventType: string | null): boolean =>
  scopesOfEventTypes(eventType === null ? [] : [eventType]).every((scope) => holdsScope(caller, scope))

/** The execution as the caller sees it. */
function shown({ caller }: RequestContext, row: Row): AiExecution {
  const { plan, errorCode, errorMessage, sight, eventId, input, output, ...rest } = row
  const isShown = maySee(caller, sight) && receives(caller, row.eventType)
  return {
    ...rest,
    eventId: eventId === null ? null : shownEventId(eventId),
    input: isShown ? input : null,
    output: isShown ? output : null,
    actionsTaken: plan.map((action) => (isShown ? action : { ...action, values: null, error: null })),
    error: errorCode === null ? null : { code: errorCode, message: isShown ? (errorMessage ?? '') : '' },
    createdAt: timeOf(row.createdAt)!,
    startedAt: timeOf(row.startedAt),
    completedAt: timeOf(row.completedAt),
    expiresAt: timeOf(row.expiresAt),
  }
}

export const unknownExecution = () => notFound('The execution')

export async function readExecutionOf(ctx: RequestContext, id: string): Promise<AiExecution> {
  requireAdministrator(ctx)
  if (!isId(id)) throw unknownExecution()
  const [row] = await ctx.db.query<Row>(
    `select ${columns} from assistant.ai_execution e where e.organization_id = $1 and e.id = $2`,
    [ctx.caller.organizationId, id],
  )
  if (!row) throw unknownExecution()
  return shown(ctx, row)
}

/** All executions of the organization, newest first. */
export async function listExecutions(
  ctx: RequestContext,
  { status, page, limit }: AiExecutionListArgs,
): Promise<AiExecution[]> {
  requireAdministrator(ctx)
  const rows = await ctx.db.query<Row>(
    `select ${columns} from assistant.ai_execution e where e.organization_id = $1${status ? ' and e.status = $4' : ''}
     order by e.id desc limit $2 offset $3`,
    [ctx.caller.organizationId, limit, (page - 1) * limit, ...(status ? [status] : [])],
    'SCAN',
  )
  return rows.map((row) => shown(ctx, row))
}

/** The executions of a trigger, newest first. */
export async function pageOfExecutions(
  ctx: RequestContext,
  triggerId: string,
  args: NewestFirstArgs,
  info: SelectionInfo,
): Promise<AiExecutionPage> {
  requireAdministrator(ctx)
  const { id } = await recordsOf(aiTrigger).require(ctx, triggerId)
  const list = {
    select: columns,
    from: 'assistant.ai_execution e where e.organization_id = $1 and e.trigger_id = $2',
    values: [ctx.caller.organizationId, id],
    key: { sql: 'e.id', type: 'uuid', of: (row: { [name: string]: unknown }) => row['id'] },
  } as const
  const page = await newestFirst(ctx, list, args, info)
  return { ...page, data: page.data.map((row) => shown(ctx, row as unknown as Row)) }
}

/** With a filter, of the triggers that match and their executions; otherwise also of the executions of deleted ones. */
export async function workflowStats(ctx: RequestContext, filter: FilterInput | null): Promise<AiWorkflowStats> {
  requireAdministrator(ctx)
  const counts = await figures(ctx, aiTrigger, { total: count(), byStatus: countBy('status') }, filter)
  const { source, predicate } = filteredRows(ctx, aiTrigger, filter)
  const { values } = predicate
  const since = new Date(ctx.clock.now().getTime() - 86_400_000).toISOString()
  const [runs] = await ctx.db.query<Pick<AiWorkflowStats, 'runs24h' | 'p95Ms'> & Record<string, unknown>>(
    `select count(*)::int as "runs24h",
       percentile_disc(0.95) within group (order by duration_ms) filter (where status = 'SUCCEEDED' and expires_at is null) as "p95Ms"
     from assistant.ai_execution
     where organization_id = ${predicate.organization()} and not is_test and completed_at > ${values.add(since)} and status in ('SUCCEEDED', 'FAILED')
       ${filter ? `and trigger_id in (select t.id from ${source})` : ''}`,
    values.list,
    'SCAN',
  )
  return { total: counts.total!, byStatus: counts.byStatus!, ...runs! }
}
