import { fiscalCalendar } from '../../identity/public.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { periodOf } from '../../kernel/time/period.ts'
import { hidesFigures } from '../quota/deal-figures.ts'
import { checkedId } from './forecast-list.ts'
import { forecast } from './forecast.record.ts'
import type { ForecastSnapshot, ForecastTotals, SnapshotArgs } from './snapshot.types.ts'

type Row = Omit<ForecastSnapshot, 'totals'> & ForecastTotals & Record<string, unknown>

/** The snapshots of the users whose records the caller sees, as it is with forecasts, the latest first. */
export async function forecastSnapshots(
  ctx: RequestContext,
  { period, periodType, userId, source, limit, page }: SnapshotArgs,
): Promise<ForecastSnapshot[]> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const conditions = [predicate.live(forecast, 't')]
  if (userId != null) conditions.push(`t.user_id = ${values.add(checkedId(userId))}`)
  if (period != null) {
    const { text } = periodOf(period, periodType, await fiscalCalendar(ctx))
    conditions.push(`t.period = ${values.add(text)}`)
  } else if (periodType != null) conditions.push(`t.period_type = ${values.add(periodType)}`)
  if (source != null) conditions.push(`t.source = ${values.add(source)}`)
  const rows = await ctx.db.query<Row>(
    `select t.id, t.taken_at as "takenAt", t.source, t.user_id as "userId", t.period, t.period_type as "periodType", t.currency,
       t.closed, t.commit, t.best_case as "bestCase", t.pipeline, t.weighted, t.opportunities, t.deal_lines_hash as "dealLinesHash"
     from insights.forecast_snapshot t where ${conditions.join(' and ')} order by t.taken_at desc, t.id desc
     limit ${values.add(limit)} offset ${values.add((page - 1) * limit)}`,
    values.list,
    'LIST',
  )
  const isHidden = hidesFigures(ctx)
  return rows.map(({ closed, commit, bestCase, pipeline, weighted, opportunities, dealLinesHash, ...shown }) => ({
    ...shown,
    takenAt: new Date(shown.takenAt).toISOString(),
    totals: isHidden ? null : { closed, commit, bestCase, pipeline, weighted },
    opportunities: isHidden ? null : opportunities,
    dealLinesHash: isHidden ? null : dealLinesHash,
  })) as ForecastSnapshot[]
}
