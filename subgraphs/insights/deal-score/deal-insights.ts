import { DateTime } from 'luxon'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, momentOfDay } from '../../kernel/time/days.ts'
import { rounded } from '../largest-remainder.ts'
import { findingsOf } from './advice.ts'
import type { DealInsights } from './deal-insights.types.ts'
import { healthOf } from './factors.ts'
import type { Moment } from './refresh.ts'
import { momentOf, scoredDeals, type ScoredDeal } from './scored-deals.ts'
import { hidesOfDeals, shownFactors } from './shown-factors.ts'
import { similarDeals } from './similar-deals.ts'
import { slipRisk } from './slip-risk.ts'

/** From so many won deals on, their days tell when a deal will be closed. */
const predictFrom = 10

export async function dealInsights(ctx: RequestContext, givenId: string): Promise<DealInsights> {
  const id = givenId.toLowerCase()
  const moment = await momentOf(ctx)
  const deal = isId(id) ? (await scoredDeals(ctx, [id], moment)).get(id) : undefined
  if (!deal) throw notFound('The opportunity')
  const similar = await similarDeals(ctx, id)
  const health = deal.isClosed ? { factors: [] } : healthOf(shownFactors(ctx), deal.values)
  return { dealId: id, ...(await timingOf(ctx, deal, moment)), ...findingsOf(health), similarDeals: similar }
}

type Timing = Pick<DealInsights, 'predictedCloseDate' | 'slipRiskPercent'>

async function timingOf(ctx: RequestContext, deal: ScoredDeal, { now, zone }: Moment): Promise<Timing> {
  if (deal.isClosed) return { predictedCloseDate: deal.closeDate, slipRiskPercent: null }
  const past = await pastOf(ctx, deal)
  const day = (time: Date | string): DateTime => DateTime.fromISO(dateIn(zone, new Date(time)), { zone: 'utc' })
  const today = day(now)
  const predicted = past && past.won >= predictFrom ? today.plus({ days: Math.round(past.median) }).toISODate()! : null
  return {
    predictedCloseDate: predicted === null ? deal.closeDate : momentOfDay(predicted, 'BEGIN', zone),
    slipRiskPercent: rounded(100 * slipRisk(day(deal.closeDate).diff(today, 'days').days, past)),
  }
}

interface Past {
  readonly won: number
  readonly median: number
  readonly remaining: readonly number[]
}

/** The won deals of the organization that were in the stage; null without any, or if the profile hides when deals were closed. */
async function pastOf(ctx: RequestContext, { pipelineId, stage }: ScoredDeal): Promise<Past | null> {
  if (hidesOfDeals(ctx, 'closedAt') || hidesOfDeals(ctx, 'stageHistory')) return null
  const [row] = await ctx.db.query<Past & Record<string, unknown>>(
    `select won, median_remaining as median, remaining from insights.deal_stage
     where organization_id = $1 and pipeline_id = $2 and stage = $3`,
    [ctx.caller.organizationId, pipelineId, stage],
  )
  return row ?? null
}
