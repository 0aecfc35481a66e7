import { organizationUsers, type OrganizationUser } from '../../identity/public.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
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
      {
        total: 'count(*)::int8',
        open: `count(*) filter (where ${isOpen})::int8`,
        overdue: `count(*) filter (where ${isOverdue})::int8`,
        unassigned: `count(*) filter (where ${isOpen} and t.assigned_to_id is null)::int8`,
        slaBreached: `count(*) filter (where (${isOverdue}) or t.resolved_at > t.sla_due_at)::int8`,
        avgFirstResponseMinutes: 'round(avg(extract(epoch from t.first_response_at - t.created_at) / 60)::numeric, 2)',
        avgResolutionHours: 'round(avg(extract(epoch from t.resolved_at - t.created_at) / 3600)::numeric, 2)',
        reopenRate: `round(count(*) filter (where t.reopen_count > 0)::numeric
          / nullif(count(*) filter (where t.reopen_count > 0 or t.resolved_at is not null), 0), 4)`,
      },
      ctx.clock.now().toISOString(),
    ),
    countsBy(ctx, supportCase, { byStatus: 'status', byPriority: 'priority', byType: 'type', byOrigin: 'origin' }),
  ])
  return { ...figures, ...counts } as CaseStats
}

/** Active users who may change records, by name. */
export async function caseAssignees(ctx: RequestContext): Promise<CaseAssignee[]> {
  const scope = new Scope(ctx.caller)
  if (isHidden(ctx.caller, supportCase, 'assignedToId')) {
    return (await mayHaveCases(ctx)).map((user) => ({ ...user, openCases: null }))
  }
  const [users, counts] = await Promise.all([
    mayHaveCases(ctx),
    ctx.db.query<{ id: string; count: number }>(
      `select t.assigned_to_id as id, count(*)::int8 as count from support."case" t
       where ${scope.live(supportCase, 't')} and ${isOpen} and t.assigned_to_id is not null group by 1`,
      scope.values.list,
      'SCAN',
    ),
  ])
  const openCases = new Map(counts.map(({ id, count }) => [id, count]))
  return users.map((user) => ({ ...user, openCases: openCases.get(user.id) ?? 0 }))
}

const mayHaveCases = async (ctx: RequestContext): Promise<OrganizationUser[]> =>
  (await organizationUsers(ctx)).filter(({ role }) => role !== 'READ_ONLY')
