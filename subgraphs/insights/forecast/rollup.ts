import { fiscalCalendar, organizationChart, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, roundToCurrency, zero } from '../../kernel/values/decimal.ts'
import { currentPeriod } from '../quota/current-period.ts'
import { dealFigures } from '../quota/deal-figures.ts'
import { quota } from '../quota/quota.record.ts'
import type { RollupArgs } from './forecast.inputs.ts'
import { forecast } from './forecast.record.ts'
import { parentsOf } from './hierarchy.ts'
import { nothing, type Amounts } from './rollup-sums.ts'
import { treeOf, type Leaf } from './rollup-tree.ts'
import type { ForecastRollup } from './rollup.types.ts'

type Convert = (amount: ExactNumber, currency: string) => ReturnType<typeof decimalOf> | null

/** The deals, quotas and forecasts of a period by who reports to whom, over the users whose records the caller sees. */
export async function forecastRollup(ctx: RequestContext, args: RollupArgs): Promise<ForecastRollup> {
  const period = currentPeriod(ctx, args, await fiscalCalendar(ctx))
  const { ownerIds } = ctx.caller
  const seen = ownerIds && new Set(ownerIds)
  const users = await organizationChart(ctx)
  const visible = users.filter(({ id }) => !seen || seen.has(id))
  const [quotas, forecasts] = [await quotasOf(ctx, period.text), await forecastsOf(ctx, period.text)]
  const { baseCurrency: currency, rates } = await ratesOf(
    ctx,
    [...quotas, ...forecasts].map((one) => one.currency),
  )
  const windows = visible.map(({ id }) => ({ owners: [id], start: period.start, end: period.end, currency }))
  const figures = await dealFigures(ctx, windows)
  const convert: Convert = (amount, from) => {
    const rate = rates.get(from)
    return rate === undefined ? null : roundToCurrency(decimalOf(amount).times(decimalOf(rate)), currency)
  }
  let unconverted = figures?.reduce((sum, one) => sum + one.unconverted, 0) ?? 0
  const targets = new Map<string, Amounts['commit']>()
  for (const { userId, target, currency: from } of quotas) {
    const amount = convert(target, from)
    if (amount === null) unconverted++
    else targets.set(userId, amount)
  }
  const submitted = new Map<string, Amounts>()
  for (const one of forecasts) {
    const [commit, bestCase, pipeline] = [one.commit, one.bestCase, one.pipeline].map((amount) =>
      convert(amount ?? 0, one.currency),
    )
    if (commit && bestCase && pipeline) submitted.set(one.userId, { commit, bestCase, pipeline })
    else unconverted++
  }
  const leaves = visible.map(({ id, name, isActive }, index): Leaf & { readonly isActive: boolean } => {
    const own = figures ? (({ closedWon, ...rest }) => ({ ...rest, closed: closedWon }))(figures[index]!) : null
    return {
      id,
      name,
      isActive,
      own: { ...nothing, ...own, quota: targets.get(id) ?? null },
      submitted: submitted.get(id) ?? null,
    }
  })
  // Somebody who is no longer active is shown as long as there is something to show.
  const shown = leaves.filter((leaf) => leaf.isActive || !isEmpty(leaf))
  const shownIds = new Set(shown.map(({ id }) => id))
  const parents = parentsOf(users, ({ id }) => shownIds.has(id))
  const root = treeOf(shown, parents, { hasFigures: figures !== null })
  return {
    userId: null,
    name: null,
    period: period.text,
    periodType: period.type,
    currency,
    unconverted: figures && unconverted,
    isPartial: ownerIds !== null,
    ...root,
  }
}

const isEmpty = ({ own, submitted }: Leaf): boolean =>
  own.quota === null &&
  submitted === null &&
  [own.closed, own.commit, own.bestCase, own.pipeline].every((sum) => sum.eq(zero))

interface UserQuota extends Record<string, unknown> {
  readonly userId: string
  readonly target: ExactNumber
  readonly currency: string
}

/** The quotas of users; none if the caller's profile hides whose they are. */
async function quotasOf(ctx: RequestContext, period: string): Promise<readonly UserQuota[]> {
  if (isHidden(ctx.caller, quota, 'userId')) return []
  const predicate = computedOver(ctx)
  const seen = predicate.live(quota, 't')
  return ctx.db.query<UserQuota>(
    `select t.user_id as "userId", t.target, t.currency from insights.quota t
     where ${seen} and t.period = ${predicate.values.add(period)} and t.user_id is not null`,
    predicate.values.list,
    'SCAN',
  )
}

interface UserForecast extends Record<string, unknown> {
  readonly userId: string
  readonly currency: string
  readonly commit: ExactNumber | null
  readonly bestCase: ExactNumber | null
  readonly pipeline: ExactNumber | null
}

/** The current forecasts; none if the caller's profile hides one of their amounts. */
async function forecastsOf(ctx: RequestContext, period: string): Promise<readonly UserForecast[]> {
  if (['commit', 'bestCase', 'pipeline'].some((name) => isHidden(ctx.caller, forecast, name))) return []
  const predicate = computedOver(ctx)
  const seen = predicate.live(forecast, 't')
  return ctx.db.query<UserForecast>(
    `select distinct on (t.user_id) t.user_id as "userId", t.currency, t.commit, t.best_case as "bestCase", t.pipeline
     from insights.forecast t where ${seen} and t.period = ${predicate.values.add(period)} order by t.user_id, t.revision desc`,
    predicate.values.list,
    'SCAN',
  )
}
