import { organizationUsers, type OrganizationUser } from '../../identity/public.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { averageTime, count, share, type Condition } from '../../kernel/record/aggregates.ts'
import { aggregate, countsBy } from '../../kernel/record/stats.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { type Case, type CaseStatus } from './case.ts'
import { supportCase } from './case.record.ts'
import type { CaseAssignee, CaseStats } from './case.shapes.ts'

const done: readonly CaseStatus[] = ['RESOLVED', 'CLOSED']

export async function caseStats(ctx: RequestContext): Promise<CaseStats> {
  const open: Condition<Case> = { status: { notIn: done } }
  const overdue: Condition<Case> = {
    status: { notIn: [...done, 'PENDING_CUSTOMER'] },
    slaDueAt: { lt: ctx.clock.now().toISOString() },
  }
  const [values, counts] = await Promise.all([
    aggregate(ctx, supportCase, {
      total: count(),
      open: count(open),
      overdue: count(overdue),
      unassigned: count({ ...open, assignedToId: { isNull: true } }),
      slaBreached: count({ or: [overdue, { resolvedAt: { gt: { column: 'slaDueAt' } } }] }),
      avgFirstResponseMinutes: averageTime('createdAt', 'firstResponseAt', 'minutes', 2),
      avgResolutionHours: averageTime('createdAt', 'resolvedAt', 'hours', 2),
      reopenRate: share(
        { reopenCount: { gt: 0 } },
        { or: [{ reopenCount: { gt: 0 } }, { resolvedAt: { isNull: false } }] },
        4,
      ),
    }),
    countsBy(ctx, supportCase, { byStatus: 'status', byPriority: 'priority', byType: 'type', byOrigin: 'origin' }),
  ])
  return { ...values, ...counts } as CaseStats
}

/** The active users who may change records, sorted by name. */
export async function caseAssignees(ctx: RequestContext): Promise<CaseAssignee[]> {
  const predicate = new TenantPredicate(ctx.caller)
  if (isHidden(ctx.caller, supportCase, 'assignedToId')) {
    return (await assignableUsers(ctx)).map((user) => ({ ...user, openCases: null }))
  }
  const [users, counts] = await Promise.all([
    assignableUsers(ctx),
    ctx.db.query<{ id: string; count: number }>(
      `select t.assigned_to_id as id, count(*)::int8 as count from support."case" t
       where ${predicate.live(supportCase, 't')} and t.status <> all(${predicate.values.add(done)}::text[])
       and t.assigned_to_id is not null group by 1`,
      predicate.values.list,
      'SCAN',
    ),
  ])
  const openCases = new Map(counts.map(({ id, count }) => [id, count]))
  return users.map((user) => ({ ...user, openCases: openCases.get(user.id) ?? 0 }))
}

const assignableUsers = async (ctx: RequestContext): Promise<OrganizationUser[]> =>
  (await organizationUsers(ctx)).filter(({ role }) => role !== 'READ_ONLY')
