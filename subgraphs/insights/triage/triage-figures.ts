import { baseCurrencyOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { figures } from '../../kernel/record/stats.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, organizationZone } from '../../kernel/time/days.ts'
import { triageCase } from './triage-case.record.ts'
import { TriageSeverity } from './triage.enumerations.ts'
import type { TriageStats, TriageTrend } from './triage.types.ts'
import { areFiguresHidden } from './visible-parts.ts'

const open = `t.status in ('OPEN', 'PLAN_SAVED', 'IN_PROGRESS')`

interface Sums {
  readonly severity: TriageSeverity
  readonly n: number
  readonly risk: number
  readonly revenue: ExactNumber | null
}

/** The figures of the risk, also under the names that they had before. */
const riskFigures = (averageRiskScore: number | null, totalRevenueAtRisk: ExactNumber | null) => ({
  averageRiskScore,
  averageRisk: averageRiskScore,
  totalRevenueAtRisk,
  revenueAtRisk: totalRevenueAtRisk,
})

/** Figures of the cases that the caller sees and that match. */
export async function triageStats(ctx: RequestContext, filter: FilterInput | null): Promise<TriageStats> {
  const currency = await baseCurrencyOf(ctx)
  const { total, byStatus } = await figures(ctx, triageCase, { total: count(), byStatus: countBy('status') }, filter)
  const shown = { total: total!, byStatus: byStatus!, currency }
  if (areFiguresHidden(ctx)) return { ...shown, bySeverity: null, ...riskFigures(null, null) }
  const { source, values } = filteredRows(ctx, triageCase, filter)
  const rows = await ctx.db.query<Sums & { readonly whole: ExactNumber | null }>(
    `select t.severity, count(*)::int as n, sum(t.risk_score) as risk, sum(sum(t.revenue_at_risk)) over () as whole
     from ${source} and ${open} group by t.severity`,
    values.list,
    'SCAN',
  )
  const number = rows.reduce((sum, { n }) => sum + n, 0)
  const counts = new Map(rows.map(({ severity, n }) => [severity, n]))
  const risk = rows.reduce((sum, one) => sum + one.risk, 0)
  const average = number === 0 ? null : Math.round((100 * risk) / number) / 100
  return {
    ...shown,
    bySeverity: Object.fromEntries(
      Object.keys(TriageSeverity).map((one) => [one, counts.get(one as TriageSeverity) ?? 0]),
    ),
    ...riskFigures(average, rows[0]?.whole ?? 0),
  }
}

/** One entry for each of the last days, from the cases that the caller sees and the risks of the daily scans. */
export async function triageTrends(ctx: RequestContext, days: number): Promise<TriageTrend[]> {
  const zone = await organizationZone(ctx)
  const today = dateIn(zone, ctx.clock.now())
  const predicate = computedOver(ctx)
  const visible = predicate.live(triageCase, 't')
  const { values } = predicate
  const [last, number, timezone] = [values.add(today), values.add(days), values.add(zone)]
  const local = (column: string): string => `(${column} at time zone ${timezone}::text)::date`
  const isShown = areFiguresHidden(ctx) ? 'false' : 'true'
  return ctx.db.query<TriageTrend & Record<string, unknown>>(
    `with cases as materialized (
       select t.account_id, ${local('t.opened_at')} as opened, ${local('t.resolved_at')} as resolved from insights.triage_case t where ${visible}
     ), days as (
       select d.day::date as day from generate_series(${last}::date - (${number}::int - 1), ${last}::date, interval '1 day') d(day)
     )
     select to_char(d.day, 'YYYY-MM-DD') as date, count(c.account_id) filter (where c.is_open)::int as open,
       count(c.account_id) filter (where c.opened = d.day)::int as opened, count(c.account_id) filter (where c.resolved = d.day)::int as resolved,
       case when ${isShown} then round((avg(r.risk) filter (where c.is_open))::numeric, 2)::float8 end as "averageRisk",
       case when ${isShown} then sum(r.revenue_at_risk) filter (where c.is_open) end as "revenueAtRisk"
     from days d
       left join lateral (
         select one.*, one.resolved is null or one.resolved > d.day as is_open from cases one
         where one.opened <= d.day and (one.resolved is null or one.resolved >= d.day)
       ) c on true
       left join insights.triage_risk r on r.organization_id = ${predicate.organization()} and r.account_id = c.account_id and r.day = d.day
     group by d.day order by d.day`,
    values.list,
    'SCAN',
  )
}
