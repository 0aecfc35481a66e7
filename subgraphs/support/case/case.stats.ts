import { organizationUsers } from '../../identity/public.ts'
import { aggregate, countsBy } from '../../kernel/record/stats.ts'
import { Scope } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { supportCase } from './case.ts'
import type { CaseAssignee, CaseStats } from './case.shapes.ts'

const isOpen = `t.status not in ('RESOLVED', 'CLOSED')`
const isOverdue = `${isOpen} and t.status <> 'PENDING_CUSTOMER' and t.sla_due_at < :0::timestamptz`

export async function caseStats(ctx: RequestContext): Promise<CaseStats> {
  const [figures, counts] = await Promise.all([
    aggregate<Omit<CaseStats, 'byStatus' | 'byPriority' | 'byType' | 'byOrigin'>>(
      ctx,
      supportCase,
      `count(*)::int8 as total,
       count(*) filter (where ${isOpen})::int8 as open,
       count(*) filter (where ${isOverdue})::int8 as overdue,
       count(*) filter (where ${isOpen} and t.assigned_to_id is null)::int8 as unassigned,
       count(*) filter (where (${isOverdue}) or t.resolved_at > t.sla_due_at)::int8 as "slaBreached",
       round(avg(extract(epoch from t.first_response_at - t.created_at) / 60)::numeric, 2) as "avgFirstResponseMinutes",
       round(avg(extract(epoch from t.resolved_at - t.created_at) / 3600)::numeric, 2) as "avgResolutionHours",
       round(count(*) filter (where t.reopen_count > 0)::numeric / nullif(count(*) filter (where t.reopen_count > 0 or t.resolved_at is not null), 0), 4) as "reopenRate"`,
      ctx.clock.now().toISOString(),
    ),
    countsBy(ctx, supportCase, { byStatus: 'status', byPriority: 'priority', byType: 'type', byOrigin: 'origin' }),
  ])
  return { ...figures, ...counts } as CaseStats
}

/** Active users who may change records, by name. */
export async function caseAssignees(ctx: RequestContext): Promise<CaseAssignee[]> {
  const scope = new Scope(ctx.caller)
  const [users, counts] = await Promise.all([
    organizationUsers(ctx),
    ctx.db.query<{ id: string; count: number }>(
      `select t.assigned_to_id as id, count(*)::int8 as count from support."case" t
       where ${scope.live(supportCase, 't')} and ${isOpen} and t.assigned_to_id is not null group by 1`,
      scope.values.list,
    ),
  ])
  const openCases = new Map(counts.map(({ id, count }) => [id, count]))
  return users.filter(({ role }) => role !== 'READ_ONLY').map((user) => ({ ...user, openCases: openCases.get(user.id) ?? 0 }))
}
