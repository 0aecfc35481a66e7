import { baseCurrencyOf, exchangeRateSql, rateDayOf, rateDaySql } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'
import { decimalOf, roundToCurrency, zero } from '../../kernel/values/decimal.ts'

/** The deals of some owners in a time from `start` to before `end`. */
export interface DealWindow {
  /** `ANY`: all owners whose deals the caller sees. */
  readonly owners: readonly string[] | 'ANY'
  readonly start: string
  readonly end: string
  /** Currency of the sums. */
  readonly currency: string
}

type Amount = ReturnType<typeof decimalOf>

/** Sums of the deals of a window that the caller sees, rounded to the currency. A part is 0 if it has no deals. */
export interface DealFigures {
  readonly closedWon: Amount
  /** Open amounts by their forecast category, which are exclusive. */
  readonly commit: Amount
  readonly bestCase: Amount
  readonly pipeline: Amount
  /** Open amounts times their probabilities. */
  readonly weighted: Amount
  /** Number of deals that are not part of the sums, because there is no exchange rate. */
  readonly unconverted: number
}

const opportunities = recordType('opportunity')

const needed = [
  'amount',
  'baseAmount',
  'currency',
  'probability',
  'forecastCategory',
  'isClosed',
  'isWon',
  'closedAt',
  'closeDate',
  // Figures by user would tell whose the deals are.
  'ownerId',
]

interface Row {
  readonly window: number
  readonly part: 'CLOSED' | 'COMMIT' | 'BEST_CASE' | 'PIPELINE'
  readonly amount: ExactNumber
  readonly weighted: ExactNumber
  readonly unconverted: number
}

const partNames = { CLOSED: 'closedWon', COMMIT: 'commit', BEST_CASE: 'bestCase', PIPELINE: 'pipeline' } as const

/** Whether the caller's profile hides a field of deals that figures need. */
export const hidesFigures = ({ caller }: RequestContext): boolean =>
  needed.some((name) => isHidden(caller, opportunities(), name))

/** Where deals are read. The view of a tenant shows nothing to the platform itself, which has no tenant in its connections. */
export const dealSource = ({ caller }: RequestContext): string =>
  caller.kind === 'SYSTEM' ? opportunities().table : readSource(opportunities())

/** The figures of each window in one statement; null if the caller's profile hides a field that they need. */
export async function dealFigures(
  ctx: RequestContext,
  windows: readonly DealWindow[],
): Promise<readonly DealFigures[] | null> {
  if (hidesFigures(ctx)) return null
  const rows = windows.length === 0 ? [] : await readFigures(ctx, windows)
  return windows.map(({ currency }, index) =>
    figuresOf(
      rows.filter(({ window }) => window === index),
      currency,
    ),
  )
}

function figuresOf(rows: readonly Row[], currency: string): DealFigures {
  const sums = { closedWon: zero, commit: zero, bestCase: zero, pipeline: zero }
  let weighted = zero
  let unconverted = 0
  for (const row of rows) {
    sums[partNames[row.part]] = roundToCurrency(decimalOf(row.amount), currency)
    if (row.part !== 'CLOSED') weighted = weighted.plus(decimalOf(row.weighted))
    unconverted += row.unconverted
  }
  return { ...sums, weighted: roundToCurrency(weighted, currency), unconverted }
}

/**
 * Sums by window, category, currency and day come first, so that rates are looked up once for each of these groups and not for each deal. A won deal
 * counts in the period in which it was won, at the rate of its close date; an open one in the period of its close date, at the rate of today.
 */
async function readFigures(ctx: RequestContext, windows: readonly DealWindow[]): Promise<readonly Row[]> {
  const opportunity = opportunities()
  const base = await baseCurrencyOf(ctx)
  const predicate = computedOver(ctx)
  const { values } = predicate
  const live = predicate.live(opportunity, 't')
  const organizationId = predicate.organization()
  const owners = windows.flatMap(({ owners: ids }, index) => (ids === 'ANY' ? [] : ids.map((id) => ({ index, id }))))
  const isOfAll = windows.every(({ owners: ids }) => ids === 'ANY')
  const list = (items: readonly unknown[], type: string): string => `${values.add(items)}::${type}[]`
  const w = `unnest(${list(
    windows.map((_, index) => index),
    'int',
  )}, ${list(
    windows.map(({ start }) => start),
    'timestamptz',
  )}, ${list(
    windows.map(({ end }) => end),
    'timestamptz',
  )}, ${list(
    windows.map(({ currency }) => currency),
    'text',
  )})`
  const o = isOfAll
    ? null
    : `unnest(${list(
        owners.map(({ index }) => index),
        'int',
      )}, ${list(
        owners.map(({ id }) => id),
        'uuid',
      )})`
  const least = values.add(windows.map(({ start }) => start).reduce((a, b) => (a < b ? a : b)))
  const most = values.add(windows.map(({ end }) => end).reduce((a, b) => (a > b ? a : b)))
  const today = values.add(await rateDayOf(ctx, ctx.clock.now()))
  const zone = `${values.add(await organizationZone(ctx))}::text`
  const baseValue = values.add(base)
  const rate = (currency: string) =>
    exchangeRateSql({ organizationId, base: `${baseValue}::text`, currency, day: 'g.day' })
  const deals = (time: string, condition: string, part: string, day: string): string => `
    select s.n, ${part} as part, t.currency, ${day} as day, s.currency as target, sum(t.amount) as amount,
      sum(t.expected_revenue) as weighted, count(*) as deals
    from ${dealSource(ctx)} t join pair s on ${o ? 't.owner_id = s.owner_id and ' : ''}${time} >= s.start and ${time} < s.stop
    where ${live} and ${condition} and ${time} >= ${least}::timestamptz and ${time} < ${most}::timestamptz
    group by 1, 2, 3, 4, 5`
  const converted = (sum: string): string =>
    `coalesce(sum(case when g.currency = g.target then ${sum} else round(${sum} * g.rate, 30) / g.target_rate end), 0) as ${sum.slice(2)}`
  return ctx.db.query<Row & Record<string, unknown>>(
    `with pair as (
       select w.n, w.start, w.stop, w.currency${o ? ', o.owner_id' : ''} from ${w} as w (n, start, stop, currency)
       ${o ? `join ${o} as o (n, owner_id) on o.n = w.n` : ''}
     ), grouped as (
       ${deals('t.closed_at', 't.is_won', `'CLOSED'`, rateDaySql('t.close_date', zone))}
       union all
       ${deals('t.close_date', `not t.is_closed and t.forecast_category in ('COMMIT', 'BEST_CASE', 'PIPELINE')`, 't.forecast_category', `${today}::text`)}
     ), rated as (
       select g.*, ${rate('g.currency')} as rate, ${rate('g.target')} as target_rate from grouped g
     )
     select g.n as window, g.part, ${converted('g.amount')}, ${converted('g.weighted')},
       coalesce(sum(g.deals) filter (where g.currency <> g.target and (g.rate is null or g.target_rate is null)), 0)::int as unconverted
     from rated g group by g.n, g.part`,
    values.list,
    'SCAN',
  )
}
