import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn } from '../../kernel/time/days.ts'
import { rounded } from '../largest-remainder.ts'
import { chosenBayes } from '../win-rate/calibration.ts'
import { bayesProbability, type BayesTables } from '../win-rate/naive-bayes.ts'
import { wilsonInterval } from '../win-rate/shrunk-rate.ts'
import type { WinRates } from '../win-rate/win-rates.ts'
import type { DealScore, DealScoreDay } from './deal-score.types.ts'
import { evidenceOf, type Evidence } from './evidence.ts'
import { healthOf, type Health, type WeightedFactor } from './factors.ts'
import { modelTime, versionOfModel } from './model.ts'
import { trendDays, valueColumns } from './refresh.ts'
import { momentOf, scoredDeals, valuesOf, type ScoredDeal } from './scored-deals.ts'
import { hidesOfDeals, shownFactors } from './shown-factors.ts'
import { storedWinRates } from './win-probability.ts'

/** The score of a deal that the caller sees; null of any other. All deals of an operation with the same selection are read together. */
export function dealScoreOf(ctx: RequestContext, id: string, selected: ReadonlySet<string>): Promise<DealScore | null> {
  return batchOf(ctx, selected, 'dealScore', async (ids) => {
    const scores = await readScores(ctx, [...new Set(ids)], selected)
    return ids.map((own) => scores.get(own) ?? null)
  }).load(id)
}

export async function requireDealScore(
  ctx: RequestContext,
  id: string,
  selected: ReadonlySet<string>,
): Promise<DealScore> {
  const score = isId(id) ? await dealScoreOf(ctx, id.toLowerCase(), selected) : null
  if (!score) throw notFound('The opportunity')
  return score
}

async function readScores(
  ctx: RequestContext,
  ids: readonly string[],
  selected: ReadonlySet<string>,
): Promise<ReadonlyMap<string, DealScore>> {
  const moment = await momentOf(ctx)
  const deals = [...(await scoredDeals(ctx, ids, moment)).values()]
  if (deals.length === 0) return new Map()
  const weighted = shownFactors(ctx)
  const open = deals.flatMap(({ isClosed, id }) => (isClosed ? [] : [id]))
  const today = dateIn(moment.zone, moment.now)
  const [rates, bayes, evidence, trends, version] = await Promise.all([
    winRatesOfDeals(ctx, deals),
    chosenBayes(ctx),
    selected.has('factors') ? evidenceOf(ctx, open, moment.now) : (new Map() as Evidence),
    selected.has('trend')
      ? readTrends(ctx, ids, weighted, today)
      : (new Map() as Awaited<ReturnType<typeof readTrends>>),
    readVersion(ctx, moment.now),
  ])
  const hides = {
    ownerId: hidesOfDeals(ctx, 'ownerId'),
    type: hidesOfDeals(ctx, 'type'),
    leadSource: hidesOfDeals(ctx, 'leadSource'),
    amount: hidesOfDeals(ctx, 'amount') || hidesOfDeals(ctx, 'baseAmount'),
  }
  const shown = (deal: ScoredDeal): DealScore => {
    const health = deal.isClosed ? null : healthOf(weighted, deal.values)
    const past = trends.get(deal.id) ?? []
    return {
      dealId: deal.id,
      score: health?.score ?? null,
      band: health?.band ?? null,
      ...winProbabilityOf(deal, { rates, bayes, hides }),
      factors: factorsOf(health, evidence, deal.id),
      trend: health ? [...past, { date: today, score: health.score }] : past,
      modelVersion: version,
      computedAt: health ? deal.computedAt! : moment.now.toISOString(),
    }
  }
  return new Map(deals.map((deal) => [deal.id, shown(deal)]))
}

const factorsOf = (health: Health | null, evidence: Evidence, id: string): DealScore['factors'] =>
  (health?.factors ?? []).map((factor) => ({ ...factor, evidence: evidence.get(id)?.get(factor.key) ?? [] }))

export const winRatesOfDeals = (ctx: RequestContext, deals: readonly ScoredDeal[]): Promise<WinRates> =>
  storedWinRates(ctx, deals, [...new Set(deals.flatMap(({ ownerId }) => ownerId ?? []))])

type WinProbability = Pick<
  DealScore,
  'winProbability' | 'winProbabilityInterval' | 'sampleSize' | 'level' | 'winProbabilitySource'
>

interface WinModels {
  readonly rates: WinRates
  /** Null unless naive Bayes is better. */
  readonly bayes: BayesTables | null
  /** What the caller must not know of deals; it does not count. */
  readonly hides: Readonly<Record<'ownerId' | 'type' | 'leadSource' | 'amount', boolean>>
}

/** F4. Somebody who does not see the owner gets the rate of the organization, because the level would tell who it is. */
function winProbabilityOf(deal: ScoredDeal, { rates, bayes, hides }: WinModels): WinProbability {
  if (deal.isClosed) {
    const winProbability = deal.isWon ? 1 : 0
    const winProbabilityInterval = [winProbability, winProbability]
    return {
      winProbability,
      winProbabilityInterval,
      sampleSize: 0,
      level: 'ORGANIZATION',
      winProbabilitySource: 'STAGE_DEFAULT',
    }
  }
  const facts = {
    pipelineId: deal.pipelineId,
    stage: deal.stage,
    ownerId: hides.ownerId ? null : deal.ownerId,
    type: hides.type ? null : deal.type,
    leadSource: hides.leadSource ? null : deal.leadSource,
    amount: hides.amount ? null : deal.amount,
  }
  const { rate, interval, sampleSize, level, evidence } = rates.of(deal.pipelineId, deal.stage, facts.ownerId)
  if (bayes) {
    const probability = bayesProbability(bayes, facts)
    return {
      winProbability: rounded(probability, 4),
      winProbabilityInterval: wilsonInterval(probability, evidence).map((bound) => rounded(bound, 4)),
      sampleSize,
      level,
      winProbabilitySource: 'NAIVE_BAYES',
    }
  }
  return {
    winProbability: rounded(rate, 4),
    winProbabilityInterval: interval.map((bound) => rounded(bound, 4)),
    sampleSize,
    level,
    winProbabilitySource: sampleSize > 0 ? 'STAGE_HISTORY' : 'STAGE_DEFAULT',
  }
}

/** The version of an organization that has no open deals, and was never asked, is that of the request. */
async function readVersion({ db, caller }: RequestContext, now: Date): Promise<string> {
  return versionOfModel((await modelTime(db, caller.organizationId)) ?? now.toISOString())
}

async function readTrends(
  { db, caller }: RequestContext,
  ids: readonly string[],
  weighted: readonly WeightedFactor[],
  today: string,
): Promise<ReadonlyMap<string, readonly DealScoreDay[]>> {
  const rows = await db.query<{ id: string; date: string }>(
    `select deal_id as id, day as date, ${valueColumns} from insights.deal_score_day
     where organization_id = $1 and deal_id = any($2::uuid[]) and day >= $3::date - ${trendDays} and day < $3::date order by day`,
    [caller.organizationId, ids, today],
  )
  const days = rows.map((row) => ({ id: row.id, date: row.date, score: healthOf(weighted, valuesOf(row)).score }))
  return new Map(
    [...Map.groupBy(days, ({ id }) => id)].map(([id, own]) => [id, own.map(({ date, score }) => ({ date, score }))]),
  )
}
