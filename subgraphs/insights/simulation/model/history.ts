import { historyBegin } from '../../win-rate/win-rates.ts'
import { rateDaySql } from '../../../identity/public.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { organizationZone } from '../../../kernel/time/days.ts'
import type { NewPipeline } from '../engine/input.ts'
import { normalQuantile } from '../engine/normal.ts'
import type { ScenarioFilters } from '../scenario.structures.ts'
import { DealStatement, hidesClosing } from './open-deals.ts'

/** From so many cases on, delays and ratios are those of the past. */
const casesMin = 20
/** Values that stand for a distribution, however many cases there are. */
const quantiles = 200
const fractions = Array.from({ length: quantiles }, (_, index) => (index + 0.5) / quantiles)

/** Delays of deals that have too little past: log-normal with the median of a week. */
export const typicalSlips: Float64Array = Float64Array.from(fractions, (share) => 7 * Math.exp(normalQuantile(share)))

/** Delays in days by pipeline and stage, where there are enough cases. */
export type Slips = ReadonlyMap<string, Float64Array>

export const stageKey = (pipelineId: string, stage: string): string => `${pipelineId}/${stage}`

/** How many days later than first planned deals of the organization were won that were once in a stage. */
export async function stageSlips({ db, caller, clock }: RequestContext): Promise<Slips> {
  const rows = await db.query<{ pipelineId: string; stage: string; slips: number[] }>(
    `select o.pipeline_id as "pipelineId", e.stage,
       percentile_disc($3::float8[]) within group (order by round(extract(epoch from o.closed_at - o.original_close_date) / 86400)::int) as slips
     from crm.opportunity o join (
       select distinct opportunity_id, stage from crm.stage_entry where organization_id = $1
     ) e on e.opportunity_id = o.id
     where o.organization_id = $1 and o.deleted_at is null and o.is_won and o.closed_at >= $2
     group by 1, 2 having count(*) >= ${casesMin}`,
    [caller.organizationId, historyBegin(clock.now()), fractions],
    'SCAN',
  )
  return new Map(rows.map(({ pipelineId, stage, slips }) => [stageKey(pipelineId, stage), Float64Array.from(slips)]))
}

/** Amounts of won deals of the organization divided by those of their first sent quotes; 1 if there are too few. */
export async function amountRatios({ db, caller, clock }: RequestContext): Promise<Float64Array> {
  const [row] = await db.query<{ count: number; ratios: number[] | null }>(
    `select count(*)::int as count, percentile_disc($3::float8[]) within group (order by least(o.amount / first.amount, 10)::float8) as ratios
     from crm.opportunity o cross join lateral (
       select q.subtotal - q.discount_total as amount, q.currency from commerce.quote q
       where q.organization_id = $1 and q.opportunity_id = o.id and q.deleted_at is null and q.sent_at is not null
       order by q.sent_at, q.id limit 1
     ) first
     where o.organization_id = $1 and o.deleted_at is null and o.is_won and o.closed_at >= $2
       and first.currency = o.currency and first.amount > 0`,
    [caller.organizationId, historyBegin(clock.now()), fractions],
    'SCAN',
  )
  return row!.count >= casesMin ? Float64Array.from(row!.ratios!) : Float64Array.of(1)
}

/** From so many won deals, over so many days, new pipeline is expected without an assumption. */
const wonMin = 10
const daysMin = 90

/** What is known about deals that the caller sees, for those that do not exist yet. */
export interface PastDeals extends Pick<NewPipeline, 'amounts' | 'cycles'> {
  /** Deals for each 30 days, lately; null if the past is too short. */
  readonly dealsPer30Days: number | null
}

const typicalCycle = Float64Array.of(60)

/** Filters on stages and amounts do not concern what new deals are like. A caller who must not know when deals were closed gets no past. */
export async function pastDeals(
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  base: string,
): Promise<PastDeals> {
  if (hidesClosing(ctx)) return { dealsPer30Days: null, amounts: new Float64Array(), cycles: typicalCycle }
  const now = ctx.clock.now()
  const zone = await organizationZone(ctx)
  const statement = new DealStatement(ctx, filters && { ...filters, stages: [], minAmount: null }, base, (given) =>
    rateDaySql('t.close_date', `${given.add(zone)}::text`),
  )
  const { values } = statement
  const lately = `${values.add(new Date(now.getTime() - daysMin * 86_400_000).toISOString())}::timestamptz`
  const isWon = `t.is_won and t.closed_at >= ${values.add(historyBegin(now))}`
  const shares = `${values.add(fractions)}::float8[]`
  const [row] = await ctx.db.query<{
    lately: number
    won: number
    isOld: boolean
    amounts: number[] | null
    cycles: number[] | null
  }>(
    `select count(*) filter (where deals.created_at >= ${lately})::int as lately, count(*) filter (where deals.is_won)::int as won,
       coalesce(min(deals.created_at) < ${lately}, false) as "isOld",
       percentile_disc(${shares}) within group (order by deals.amount) filter (where deals.is_won and deals.amount is not null) as amounts,
       percentile_disc(${shares}) within group (order by deals.days) filter (where deals.is_won) as cycles
     from (
       select t.created_at, (${isWon}) as is_won, (t.amount * (${statement.rate}))::float8 as amount,
         greatest(0, round(extract(epoch from t.closed_at - t.created_at) / 86400))::int as days
       ${statement.from}
     ) deals`,
    values.list,
    'SCAN',
  )
  const { lately: created, won, isOld, amounts, cycles } = row!
  const isEnough = won >= wonMin
  return {
    dealsPer30Days: isOld && isEnough && !filters?.stages.length ? (created * 30) / daysMin : null,
    amounts: isEnough ? Float64Array.from(amounts ?? []) : new Float64Array(),
    cycles: isEnough ? Float64Array.from(cycles!) : typicalCycle,
  }
}
