import { fiscalCalendar, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { fieldRules, isHidden } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { selectList } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { periodAfter, periodOfDay, type Period } from '../../kernel/time/period.ts'
import { decimalOf, exactOf, rounded, roundToCurrency, sumOf, zero } from '../../kernel/values/decimal.ts'
import { today } from '../quota/current-period.ts'
import { dealFigures, hidesFigures } from '../quota/deal-figures.ts'
import type { AccuracyArgs, ForecastAccuracy, PeriodAccuracy } from './accuracy.types.ts'
import { checkedId } from './forecast-list.ts'
import { forecast } from './forecast.record.ts'
import type { Forecast } from './forecast.ts'

const periodsMax = 6

type Amount = ReturnType<typeof decimalOf>

/** F9: how the last forecasts before the ends of the last six periods met what came, for each user whose records the caller sees. */
export async function forecastAccuracy(ctx: RequestContext, args: AccuracyArgs): Promise<ForecastAccuracy[]> {
  const calendar = await fiscalCalendar(ctx)
  const current = periodOfDay(today(ctx, calendar), args.periodType ?? 'QUARTER', calendar)
  const periods = Array.from({ length: periodsMax }, (_, index) => periodAfter(current, -1 - index, calendar))
  const forecasts = await lastForecasts(ctx, args, periods)
  const { baseCurrency: currency, rates } = await ratesOf(
    ctx,
    forecasts.map((one) => one.currency),
  )
  const { ownerIds } = ctx.caller
  const seen = ownerIds && new Set(ownerIds)
  const isBlind = hidesFigures(ctx) || isHidden(ctx.caller, forecast, 'commit')
  const counted = isBlind
    ? []
    : forecasts.filter((one) => rates.has(one.currency) && (!seen || one.countedUserIds.every((id) => seen.has(id))))
  const byText = new Map(periods.map((period) => [period.text, period]))
  const windows = counted.map(({ period, countedUserIds: owners }) => {
    const { start, end } = byText.get(period)!
    return { owners, start, end, currency }
  })
  const figures = await dealFigures(ctx, windows)
  const amounts = new Map<Forecast, { readonly forecast: Amount; readonly actual: Amount }>()
  for (const [index, one] of counted.entries()) {
    const total = decimalOf(one.countedClosed).plus(decimalOf(one.commit ?? 0))
    const converted = roundToCurrency(total.times(decimalOf(rates.get(one.currency)!)), currency)
    amounts.set(one, { forecast: converted, actual: figures![index]!.closedWon })
  }
  const users = Map.groupBy(forecasts, ({ userId }) => userId)
  return [...users].map(([userId, own]) => {
    const known = own.flatMap((one) => amounts.get(one) ?? [])
    const errors = known.map(({ forecast: expected, actual }) => expected.minus(actual))
    const accuracies = known.flatMap((each) => accuracyOf(each) ?? [])
    return {
      userId,
      currency,
      accuracy: mean(accuracies, (value) => rounded(value, 4)),
      bias: mean(errors, (value) => roundToCurrency(value, currency)),
      periods: own.map((one) => shown(one.period, amounts.get(one))),
    }
  })
}

const mean = (values: readonly Amount[], round: (value: Amount) => Amount): ExactNumber | null =>
  values.length === 0 ? null : exactOf(round(sumOf(values).div(values.length)))

/** Null if nothing was won, because there is nothing to compare with. */
const accuracyOf = ({ forecast: expected, actual }: { readonly forecast: Amount; readonly actual: Amount }) =>
  actual.eq(zero) ? null : decimalOf(1).minus(expected.minus(actual).abs().div(actual))

function shown(
  period: string,
  known: { readonly forecast: Amount; readonly actual: Amount } | undefined,
): PeriodAccuracy {
  if (!known) return { period, forecast: null, actual: null, error: null, accuracy: null }
  const accuracy = accuracyOf(known)
  return {
    period,
    forecast: exactOf(known.forecast),
    actual: exactOf(known.actual),
    error: exactOf(known.forecast.minus(known.actual)),
    accuracy: accuracy && exactOf(rounded(accuracy, 4)),
  }
}

/** The last forecast of each user before the end of each period, the latest period first, for one page of users. */
async function lastForecasts(
  ctx: RequestContext,
  { userId, limit, page }: AccuracyArgs,
  periods: readonly Period[],
): Promise<readonly Forecast[]> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const seen = predicate.live(forecast, 't')
  const ofUser = userId == null ? '' : ` and t.user_id = ${values.add(checkedId(userId))}`
  const list = (items: readonly string[], type: string) => `${values.add(items)}::${type}[]`
  const ended = `unnest(${list(
    periods.map(({ text }) => text),
    'text',
  )}, ${list(
    periods.map(({ end }) => end),
    'timestamptz',
  )}) as p (period, stop) on p.period = t.period and t.submitted_at < p.stop`
  return ctx.db.query<Forecast & Record<string, unknown>>(
    `with users as (
       select distinct t.user_id from insights.forecast t join ${ended} where ${seen}${ofUser}
       order by t.user_id limit ${values.add(limit)} offset ${values.add((page - 1) * limit)}
     )
     select * from (
       select distinct on (t.user_id, p.stop) ${selectList(forecast, allColumnNames(forecast), 't', fieldRules(ctx.caller, forecast))}, p.stop
       from insights.forecast t join ${ended} where ${seen} and t.user_id in (select user_id from users)
       order by t.user_id, p.stop desc, t.revision desc
     ) last order by "userId", stop desc`,
    values.list,
    'SCAN',
  )
}
