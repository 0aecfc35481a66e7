import { baseCurrencyOf, exchangeRateSql } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn } from '../../kernel/time/days.ts'
import { decimalOf, exactOf, roundToCurrency, zero } from '../../kernel/values/decimal.ts'
import { rounded } from '../largest-remainder.ts'
import { groupsMax, type DealScoreDistribution } from './deal-distribution.types.ts'
import { bandFrom, bandNames, scoreSql, type WeightedFactor } from './factors.ts'
import type { Moment } from './refresh.ts'
import { isStaleSql, momentOf, refresh, refreshMax, scoreJoin } from './scored-deals.ts'
import { hidesOfDeals, shapes, shownFactors } from './shown-factors.ts'

const bars = Array.from({ length: 10 }, (_, index) => 10 * index)

type Amount = ReturnType<typeof decimalOf>

/** The deals of a group in one currency. */
interface Row {
  readonly kind: 'BAND' | 'BAR' | 'STAGE' | 'OWNER' | 'ALL'
  readonly band: (typeof bandNames)[number] | null
  readonly bar: number | null
  readonly pipelineId: string | null
  readonly stage: string | null
  readonly ownerId: string | null
  readonly count: number
  readonly scored: number
  readonly scores: number
  readonly stale: number
  readonly amount: ExactNumber | null
  readonly [column: string]: unknown
}

export async function dealScoreDistribution(ctx: RequestContext): Promise<DealScoreDistribution> {
  const weighted = shownFactors(ctx)
  const moment = await momentOf(ctx)
  let rows = await readGroups(ctx, weighted, moment)
  if (rows.some(({ kind, stale }) => kind === 'ALL' && stale > 0)) {
    await refresh(ctx, await staleDeals(ctx), moment)
    rows = await readGroups(ctx, weighted, moment)
  }
  const hidesMoney = hidesOfDeals(ctx, 'amount') || hidesOfDeals(ctx, 'baseAmount')
  const currency = hidesMoney ? null : await baseCurrencyOf(ctx)
  const figuresOf = (group: readonly Row[]) => figures(group, currency)
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const groups = (kind: Row['kind'], keyOf: (row: Row) => string | null) =>
    [...Map.groupBy(of(kind), keyOf)]
      .map(([key, group]) => ({ key, first: group[0]!, ...figuresOf(group) }))
      .toSorted((a, b) => b.count - a.count || (String(a.key) < String(b.key) ? -1 : 1))
      .slice(0, groupsMax)
  const all = of('ALL')
  const { count: total, scored, averageScore } = figuresOf(all)
  return {
    total,
    unscored: total - scored,
    averageScore,
    currency,
    unconverted: currency === null ? null : all.reduce((sum, row) => sum + (row.amount === null ? row.count : 0), 0),
    bands: bandNames.map((band) => {
      const { count, amount } = figuresOf(of('BAND').filter((row) => row.band === band))
      return { band, count, amount }
    }),
    histogram: bars.map((from, index) => ({
      from,
      to: from + 10,
      count: figuresOf(of('BAR').filter(({ bar }) => bar === index)).count,
    })),
    byStage: groups('STAGE', ({ pipelineId, stage }) => `${pipelineId}/${stage}`).map(
      ({ first, count, averageScore: average, amount }) => ({
        pipelineId: first.pipelineId!,
        stage: first.stage!,
        count,
        averageScore: average,
        amount,
      }),
    ),
    byOwner: hidesOfDeals(ctx, 'ownerId')
      ? null
      : groups('OWNER', ({ ownerId }) => ownerId).map(({ key, count, averageScore: average, amount }) => ({
          ownerId: key,
          count,
          averageScore: average,
          amount,
        })),
  }
}

/** The figures of a group from those of its currencies. */
function figures(rows: readonly Row[], currency: string | null) {
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  const scored = rows.reduce((sum, row) => sum + row.scored, 0)
  const scores = rows.reduce((sum, row) => sum + row.scores, 0)
  const amounts = rows.reduce<Amount>((sum, { amount }) => (amount === null ? sum : sum.plus(decimalOf(amount))), zero)
  return {
    count,
    scored,
    averageScore: scored === 0 ? null : rounded(scores / scored),
    amount: currency === null ? null : exactOf(roundToCurrency(amounts, currency)),
  }
}

const bandSql = `case ${bandNames.map((band) => `when d.score >= ${bandFrom[band]} then '${band}'`).join(' ')} end`

/**
 * One pass over the open deals that the caller sees; rates are looked up once for each group and currency. `offset 0` keeps PostgreSQL from
 * computing the score again wherever it is used. The groups are made of the far fewer cells, because each of them would otherwise be a pass.
 */
async function readGroups(
  ctx: RequestContext,
  weighted: readonly WeightedFactor[],
  { now, zone }: Moment,
): Promise<Row[]> {
  const base = await baseCurrencyOf(ctx)
  const today = dateIn(zone, now)
  const { statement, predicate } = openDeals(ctx, [
    't.pipeline_id, t.stage, t.owner_id, t.currency, t.amount',
    `${scoreSql(weighted, 's')} as score`,
    `(${isStaleSql})::int as stale`,
  ])
  const rate = exchangeRateSql({
    organizationId: predicate.organization(),
    base: `${predicate.values.add(base)}::text`,
    currency: 'g.currency',
    day: `${predicate.values.add(today)}::text`,
  })
  return ctx.db.query<Row>(
    `with deal as (
       select d.*, ${bandSql} as band, least(9, floor(d.score / 10))::int as bar from (${statement} offset 0) d
     ), cell as (
       select band, bar, pipeline_id, stage, owner_id, currency, count(*)::int as count, count(score)::int as scored,
         coalesce(sum(score), 0) as scores, sum(stale)::int as stale, sum(amount) as amount
       from deal group by band, bar, pipeline_id, stage, owner_id, currency
     ), grouped as (
       select band, bar, pipeline_id, stage, owner_id, currency, grouping(band, bar, stage, owner_id) as kind, sum(count)::int as count,
         sum(scored)::int as scored, sum(scores) as scores, sum(stale)::int as stale, sum(amount) as amount
       from cell group by grouping sets ((band, currency), (bar, currency), (pipeline_id, stage, currency), (owner_id, currency), (currency))
     )
     select case g.kind when 7 then 'BAND' when 11 then 'BAR' when 13 then 'STAGE' when 14 then 'OWNER' else 'ALL' end as kind,
       g.band, g.bar, g.pipeline_id as "pipelineId", g.stage, g.owner_id as "ownerId", g.count, g.scored, g.scores, g.stale,
       g.amount * (${rate}) as amount
     from grouped g`,
    predicate.values.list,
    'SCAN',
  )
}

async function staleDeals(ctx: RequestContext): Promise<string[]> {
  const { statement, predicate } = openDeals(ctx, ['t.id'])
  const rows = await ctx.db.query<{ id: string }>(
    `${statement} and ${isStaleSql} limit ${refreshMax}`,
    predicate.values.list,
    'SCAN',
  )
  return rows.map(({ id }) => id)
}

function openDeals(ctx: RequestContext, columns: readonly string[]) {
  const predicate = computedOver(ctx)
  const opportunity = shapes.opportunity()
  const statement = `select ${columns.join(', ')} from ${readSource(opportunity)} t ${scoreJoin}
    where ${predicate.live(opportunity, 't')} and not t.is_closed`
  return { statement, predicate }
}
