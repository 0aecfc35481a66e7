import { fiscalCalendar } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { selectList } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { periodOf } from '../../kernel/time/period.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import { hidesFigures } from '../quota/deal-figures.ts'
import type { ForecastListArgs } from './forecast.inputs.ts'
import { forecast } from './forecast.record.ts'
import type { Forecast } from './forecast.ts'
import type { SubmittedForecast } from './submitted-forecast.ts'

const opportunities = recordType('opportunity')

/** The forecasts of the users whose records the caller sees, all revisions, the latest submission first. */
export async function forecastList(
  ctx: RequestContext,
  { userId, period, limit, page }: ForecastListArgs,
): Promise<SubmittedForecast[]> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const conditions = [predicate.live(forecast, 't')]
  if (userId != null) conditions.push(`t.user_id = ${values.add(checkedId(userId))}`)
  if (period != null) {
    const { text } = periodOf(period, null, await fiscalCalendar(ctx))
    conditions.push(`t.period = ${values.add(text)}`)
  }
  const rows = await ctx.db.query<Forecast & Record<string, unknown>>(
    `select ${selectList(forecast, allColumnNames(forecast), 't', fieldRules(ctx.caller, forecast))} from insights.forecast t
     where ${conditions.join(' and ')} order by t.submitted_at desc, t.id desc
     limit ${values.add(limit)} offset ${values.add((page - 1) * limit)}`,
    values.list,
    'LIST',
  )
  ctx.answered?.records(forecast, rows as never)
  return rows.map((row) => shownForecast(ctx, row))
}

/** A user's id of a query in its stored form. */
export function checkedId(userId: string): string {
  if (!isId(userId)) throw invalid({ path: 'userId', code: 'WRONG_FORMAT', message: 'userId must be a UUID.' })
  return userId.toLowerCase()
}

const less = (one: ExactNumber | null, other: ExactNumber): ExactNumber | null =>
  one === null ? null : exactOf(decimalOf(one).minus(decimalOf(other)))

/** With what the deals said, if the caller sees the records of all their owners and the fields of deals. */
export function shownForecast(ctx: RequestContext, stored: Forecast): SubmittedForecast {
  const { ownerIds } = ctx.caller
  const one = { ...stored, user: { id: stored.userId } }
  const seesAll = ownerIds === null || one.countedUserIds.every((id) => ownerIds.includes(id))
  if (!seesAll || hidesFigures(ctx))
    return { ...one, closed: null, systemCommit: null, systemBestCase: null, systemPipeline: null, delta: null }
  // A stored answer with figures is not replayed to a caller who sees less.
  ctx.answered?.aggregate(opportunities())
  return {
    ...one,
    closed: one.countedClosed,
    systemCommit: one.countedCommit,
    systemBestCase: one.countedBestCase,
    systemPipeline: one.countedPipeline,
    delta: {
      commit: less(one.commit, one.countedCommit),
      bestCase: less(one.bestCase, one.countedBestCase),
      pipeline: less(one.pipeline, one.countedPipeline),
    },
  }
}
