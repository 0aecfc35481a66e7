import { rounded } from '../largest-remainder.ts'
import { activityScore, activitySums, type ActivitySignal } from './activity-score.ts'
import { kOf } from './decay.ts'
import { insightsOf, type Insight } from './entity-insights.ts'
import { defaultEdges, type EngagementEntity, type EngagementSettings } from './entities.ts'
import { momentumOf, momentumScore, windowDaysDefault, type Momentum, type Trend } from './momentum.ts'
import { networkScores } from './network.ts'
import { rankScore, rankSharesDefault, type Factor } from './rank.ts'
import { defaultWeights } from './weights.ts'

/** An entity with its scores, as it is answered. */
export interface ScoredEntity {
  readonly id: string
  readonly type: string
  readonly name: string | null
  readonly rank: number
  readonly score: number
  readonly networkScore: number
  readonly activityScore: number
  readonly momentumScore: number
  readonly momentum: {
    readonly velocity: number
    readonly acceleration: number
    readonly trend: Trend
    readonly significant: boolean
    readonly silenceDays: number | null
    readonly usualGapDays: number | null
  }
  readonly activitySignals: readonly ActivitySignal[]
  readonly explanation: readonly { readonly factor: Factor; readonly contribution: number }[]
  readonly insights: readonly Insight[]
}

export interface Ranking {
  /** All entities, best first. */
  readonly ranked: readonly ScoredEntity[]
  readonly stats: RankingStats
}

export interface RankingStats {
  readonly entities: number
  readonly activities: number
  /** Activities after the time of the computation. */
  readonly futureActivities: number
  readonly relationships: number
  /** Relationships to oneself, to nobody, or without weight. */
  readonly ignoredRelationships: number
  readonly k: number
}

const tableOf = (
  defaults: Readonly<Record<string, number>>,
  changed: EngagementSettings['weights'],
): Readonly<Record<string, number>> => ({
  ...defaults,
  ...Object.fromEntries((changed ?? []).map(({ type, weight }) => [type, weight])),
})

/** Scores and ranks entities at a time. It depends on its arguments only. */
export function rankEntities(
  entities: readonly EngagementEntity[],
  settings: EngagementSettings,
  nowMs: number,
): Ranking {
  const weights = tableOf(defaultWeights, settings.weights)
  const halfLifeDays = settings.halfLifeDays ?? null
  const windowDays = settings.windowDays ?? windowDaysDefault
  const sums = entities.map((entity) => activitySums(entity, { nowMs, weights, halfLifeDays }))
  const k = settings.k ?? kOf(sums.map(({ sum }) => sum))
  const network = networkScores(entities, tableOf(defaultEdges, settings.edges))
  const scored = entities.map((entity, index): Omit<ScoredEntity, 'rank'> => {
    const own = sums[index]!
    const activity = activityScore(own, k)
    const momentum = momentumOf(own.moments, nowMs, windowDays)
    const scores = {
      network: network.scores[index]!,
      engagement: activity.exact,
      momentum: momentumScore(momentum.velocity),
    }
    return {
      id: entity.id,
      type: entity.type,
      name: entity.name ?? null,
      ...rankScore(scores, settings.rank ?? rankSharesDefault),
      networkScore: rounded(scores.network),
      activityScore: activity.score,
      momentumScore: rounded(scores.momentum),
      momentum: shownMomentum(momentum),
      activitySignals: activity.signals,
      insights: insightsOf({ momentum, channels: own.channels, networkScore: scores.network, windowDays }),
    }
  })
  return { ranked: inOrder(scored), stats: { ...statsOf(entities, sums, network.edges), k: rounded(k, 6) } }
}

/** Momentum as it is answered. */
export const shownMomentum = (momentum: Momentum): ScoredEntity['momentum'] => ({
  velocity: rounded(momentum.velocity, 4),
  acceleration: rounded(momentum.acceleration, 4),
  trend: momentum.trend,
  significant: momentum.significant,
  silenceDays: momentum.silenceDays === null ? null : rounded(momentum.silenceDays),
  usualGapDays: momentum.usualGapDays === null ? null : rounded(momentum.usualGapDays),
})

/** Best first; equal scores in the order of their ids. */
function inOrder(scored: readonly Omit<ScoredEntity, 'rank'>[]): ScoredEntity[] {
  return scored
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map((entity, index) => ({ ...entity, rank: index + 1 }))
}

function statsOf(
  entities: readonly EngagementEntity[],
  sums: readonly { readonly future: number }[],
  edges: number,
): Omit<RankingStats, 'k'> {
  const count = (of: (entity: EngagementEntity) => number): number =>
    entities.reduce((total, entity) => total + of(entity), 0)
  const relationships = count((entity) => entity.relationships?.length ?? 0)
  return {
    entities: entities.length,
    activities: count((entity) => entity.activities?.length ?? 0),
    futureActivities: sums.reduce((total, { future }) => total + future, 0),
    relationships,
    ignoredRelationships: relationships - edges,
  }
}
