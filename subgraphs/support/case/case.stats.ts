import { activeWriterPage } from '../../identity/public.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import type { Condition } from '../../kernel/record/addend.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { averageTime, count, countBy, minus, plus, ratio, type Aggregate } from '../../kernel/record/aggregates.ts'
import { pageNumber, pageSize } from '../../kernel/record/list.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { figures } from '../../kernel/record/stats.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { CaseStatus, type Case } from './case.ts'
import { isBreachAnnounced, supportCase, wasEverResolved, wasReopened, wasResolvedLate } from './case.record.ts'
import { isDone } from './case.status.ts'
import type { CaseAssignee, CaseStats } from './case.shapes.ts'

const openStatuses = Object.values(CaseStatus).filter((status) => !isDone(status))

/**
 * The number of cases with a running SLA clock that are past `slaDueAt`. Nearly all of them have a `slaBreachedAt`, so the maintained
 * totals count those, and the rows are read only for cases that became overdue since the last run of the job `case.slaBreach`, and for
 * cases with a `slaBreachedAt` that are not overdue.
 */
function overdueAt(now: string): Aggregate<Case, number> {
  const status = { in: openStatuses.filter((one) => one !== 'PENDING_CUSTOMER') }
  const announced = { status, ...isBreachAnnounced }
  const notAnnounced = count<Case>({ status, slaBreachedAt: { isNull: true }, slaDueAt: { lt: now } })
  const notOverdue = plus(
    count<Case>({ ...announced, slaDueAt: { gte: now } }),
    count<Case>({ ...announced, slaDueAt: { isNull: true } }),
  )
  return minus(plus(count<Case>(announced), notAnnounced), notOverdue)
}

export async function caseStats(ctx: RequestContext, filter: FilterInput | null): Promise<CaseStats> {
  const open: Condition<Case> = { status: { in: openStatuses } }
  const overdue = overdueAt(ctx.clock.now().toISOString())
  const own = await figures(
    ctx,
    supportCase,
    {
      total: count(),
      open: count(open),
      overdue,
      unassigned: count({ ...open, assignedToId: { isNull: true } }),
      // Reopening a case clears resolvedAt, so no case is counted twice.
      slaBreached: plus(overdue, count(wasResolvedLate)),
      averageFirstResponseMinutes: averageTime('createdAt', 'firstResponseAt', 'minutes', 2),
      averageResolutionHours: averageTime('createdAt', 'resolvedAt', 'hours', 2),
      reopenRate: ratio(count(wasReopened), count(wasEverResolved), 4),
      byStatus: countBy('status'),
      byPriority: countBy('priority'),
      byType: countBy('type'),
      byOrigin: countBy('origin'),
    },
    filter,
  )
  return {
    ...own,
    avgFirstResponseMinutes: own.averageFirstResponseMinutes,
    avgResolutionHours: own.averageResolutionHours,
  } as CaseStats
}

export interface AssigneeArgs {
  readonly search?: string | null
  readonly page: number
  readonly limit: number
}

/** The active users who may change records, sorted by name. */
export async function caseAssignees(ctx: RequestContext, args: AssigneeArgs): Promise<CaseAssignee[]> {
  const users = await activeWriterPage(ctx, {
    search: args.search ?? null,
    page: pageNumber(args.page),
    limit: pageSize(args.limit, 'limit'),
  })
  if (isHidden(ctx.caller, supportCase, 'assignedToId')) return users.map((user) => ({ ...user, openCases: null }))
  const scope = computedOver(ctx)
  // The statuses are literals, because the partial index `case_open_assignee` needs the same condition.
  const counts = await ctx.db.query<{ id: string; count: number }>(
    `select t.assigned_to_id as id, count(*)::int8 as count from ${readSource(supportCase)} t
     where ${scope.live(supportCase, 't')} and t.status not in ('RESOLVED', 'CLOSED')
     and t.assigned_to_id = any(${scope.values.add(users.map(({ id }) => id))}::uuid[]) group by 1`,
    scope.values.list,
    'SCAN',
  )
  const openCases = new Map(counts.map(({ id, count }) => [id, count]))
  return users.map((user) => ({ ...user, openCases: openCases.get(user.id) ?? 0 }))
}
