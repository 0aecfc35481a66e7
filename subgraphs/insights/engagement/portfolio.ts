import { rounded } from '../largest-remainder.ts'
import type { Trend } from './momentum.ts'
import type { Ranking, RankingStats, ScoredEntity } from './score-entities.ts'

/** How the scores of many entities are distributed, where they are going, and what to do. */
export interface Portfolio {
  readonly distribution: Distribution
  readonly trends: readonly { readonly trend: Trend; readonly count: number; readonly share: number | null }[]
  readonly recommendations: readonly Recommendation[]
  readonly stats: RankingStats
}

export interface Distribution {
  readonly total: number
  readonly averageScore: number | null
  readonly medianScore: number | null
  /** Ten bars of ten points; a bar contains its lower end, the last one both. */
  readonly histogram: readonly { readonly from: number; readonly to: number; readonly count: number }[]
}

export type RecommendationKey = 'RE_ENGAGE' | 'CHECK_DECLINE' | 'USE_MOMENTUM' | 'BEGIN_CONTACT'

export interface Recommendation {
  readonly key: RecommendationKey
  readonly priority: 'HIGH' | 'MEDIUM' | 'LOW'
  readonly text: string
  readonly count: number
  /** The first twenty, those of the best rank first. */
  readonly entityIds: readonly string[]
}

const order = ['ACCELERATING', 'GROWING', 'STABLE', 'DECLINING', 'CHURNING'] as const
const bars = 10
const idsMax = 20

export function portfolioOf({ ranked, stats }: Ranking): Portfolio {
  return {
    distribution: distributionOf(ranked.map(({ score }) => score)),
    trends: order.map((trend) => {
      const count = ranked.filter(({ momentum }) => momentum.trend === trend).length
      return { trend, count, share: ranked.length === 0 ? null : rounded((100 * count) / ranked.length) }
    }),
    recommendations: recommendationsFor(ranked),
    stats,
  }
}

/** `scores` are in descending order. */
function distributionOf(scores: readonly number[]): Distribution {
  const total = scores.length
  const counts = Array.from({ length: bars }, () => 0)
  for (const score of scores) counts[Math.min(bars - 1, Math.floor((score * bars) / 100))]! += 1
  const middle = [scores[Math.ceil(total / 2) - 1], scores[Math.floor(total / 2)]]
  return {
    total,
    averageScore: total === 0 ? null : rounded(scores.reduce((sum, score) => sum + score, 0) / total),
    medianScore: total === 0 ? null : rounded((middle[0]! + middle[1]!) / 2),
    histogram: counts.map((count, bar) => ({ from: (100 * bar) / bars, to: (100 * (bar + 1)) / bars, count })),
  }
}

interface Rule {
  readonly key: RecommendationKey
  readonly priority: Recommendation['priority']
  readonly applies: (entity: ScoredEntity) => boolean
  readonly text: (count: string) => string
}

/** The first rule that applies to an entity takes it. */
const rules: readonly Rule[] = [
  {
    key: 'BEGIN_CONTACT',
    priority: 'LOW',
    applies: ({ momentum }) => momentum.silenceDays === null,
    text: (count) => `${count} without any known activity: begin contact, or remove them from the list.`,
  },
  {
    key: 'RE_ENGAGE',
    priority: 'HIGH',
    applies: ({ momentum }) => momentum.trend === 'CHURNING',
    text: (count) => `${count} about to be lost: call those of the best rank first.`,
  },
  {
    key: 'CHECK_DECLINE',
    priority: 'MEDIUM',
    applies: ({ momentum }) => momentum.trend === 'DECLINING',
    text: (count) => `${count} with falling engagement: ask what has changed.`,
  },
  {
    key: 'USE_MOMENTUM',
    priority: 'MEDIUM',
    applies: ({ momentum }) => momentum.trend === 'ACCELERATING',
    text: (count) => `${count} with accelerating engagement: propose a next step while interest lasts.`,
  },
]

const priorities = ['HIGH', 'MEDIUM', 'LOW']

function recommendationsFor(ranked: readonly ScoredEntity[]): Recommendation[] {
  const taken = new Map<RecommendationKey, string[]>()
  for (const entity of ranked) {
    const rule = rules.find(({ applies }) => applies(entity))
    if (rule) taken.set(rule.key, [...(taken.get(rule.key) ?? []), entity.id])
  }
  return rules
    .flatMap(({ key, priority, text }) => {
      const ids = taken.get(key)
      if (!ids) return []
      const count = ids.length === 1 ? 'One entity' : `${ids.length} entities`
      return { key, priority, text: text(count), count: ids.length, entityIds: ids.slice(0, idsMax) }
    })
    .toSorted((a, b) => priorities.indexOf(a.priority) - priorities.indexOf(b.priority))
}
