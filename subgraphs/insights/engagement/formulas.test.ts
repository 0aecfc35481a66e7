import { describe, expect, it } from 'vitest'
import { activityScore, activitySums } from './activity-score.ts'
import { dayMs } from '../../kernel/time/wall-calendar.ts'
import { cappedChannels, cappedSum, engagementScore, kOf } from './decay.ts'
import { momentumOf, momentumScore } from './momentum.ts'
import { edgesOf, importanceOf } from './network.ts'
import { pageRank, percentilesOf, type Edge } from './page-rank.ts'
import { rankScore } from './rank.ts'
import { defaultWeights, pointsOf } from './weights.ts'

const nowMs = Date.parse('2026-11-21T00:00:00.000Z')
const daysAgo = (days: number): string => new Date(nowMs - days * dayMs).toISOString()

/** Numbers from 0 to 1 that are the same in every run. */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

describe('points of an activity', () => {
  it.each([
    [{ type: 'MEETING' }, 10],
    [{ type: 'MEETING', outcome: 'NO_SHOW' }, 0],
    [{ type: 'EMAIL', direction: 'INBOUND' }, 6],
    [{ type: 'EMAIL', direction: 'OUTBOUND', outcome: 'REPLIED' }, 6],
    [{ type: 'EMAIL', direction: 'OUTBOUND' }, 0],
    [{ type: 'SMS', direction: 'INBOUND' }, 6],
    [{ type: 'CHAT' }, 0],
    [{ type: 'CALL', outcome: 'CONNECTED' }, 6],
    [{ type: 'CALL', outcome: 'COMPLETED', sentiment: 'NEGATIVE' }, 0.6000000000000001],
    [{ type: 'CALL', outcome: 'VOICEMAIL' }, 0],
    [{ type: 'CLICK', isAutomated: true }, 0],
    [{ type: 'OPEN' }, 1],
    [{ type: 'WEB_VISIT', sentiment: 'NEUTRAL' }, 1.0499999999999998],
    [{ type: 'NOTE' }, 0],
  ])('%j are %d', (activity, points) => {
    expect(pointsOf(activity)).toBe(points)
  })
})

describe('F1, engagement score', () => {
  it('halves a meeting in thirty days, that of a lead in fourteen', () => {
    const activities = [{ type: 'MEETING', timestamp: daysAgo(30) }]
    const settings = { nowMs, weights: defaultWeights, halfLifeDays: null }
    // 10 / 2, of which 40 % count, because there is one type of activity.
    expect(activitySums({ id: 'a', type: 'ACCOUNT', activities }, settings).sum).toBe(2)
    const ofLead = activitySums(
      { id: 'a', type: 'LEAD', activities: [{ type: 'MEETING', timestamp: daysAgo(14) }] },
      settings,
    )
    expect(ofLead.sum).toBe(2)
  })

  it('caps each channel at 40 % of the uncapped sum', () => {
    const channels = cappedChannels(
      new Map([
        ['MEETING', 60],
        ['EMAIL', 30],
        ['OPEN', 10],
        ['NOTE', 0],
      ]),
    )
    expect(channels).toEqual([
      { channel: 'EMAIL', sum: 30, capped: 30 },
      { channel: 'MEETING', sum: 60, capped: 40 },
      { channel: 'OPEN', sum: 10, capped: 10 },
    ])
    expect(cappedSum(channels)).toBe(80)
  })

  it('is 75 at the 75th percentile of at least thirty, and uses 25 below', () => {
    const sums = Array.from({ length: 40 }, (_, index) => index + 1)
    expect(kOf(sums)).toBeCloseTo(30 / Math.log(4), 12)
    expect(engagementScore(30, kOf(sums))).toBeCloseTo(75, 10)
    expect(kOf(sums.slice(0, 29))).toBe(25)
    expect(kOf([...sums.slice(0, 29), 0, 0])).toBe(25)
    expect(kOf([])).toBe(25)
    expect(engagementScore(25, 25)).toBeCloseTo(63.2120558829, 9)
    expect(engagementScore(0, 25)).toBe(0)
  })

  it('is the sum of what its channels contribute, in cents', () => {
    const next = numbersOf(11)
    const types = Object.keys(defaultWeights)
    for (let round = 0; round < 300; round++) {
      const activities = Array.from({ length: Math.floor(next() * 30) }, () => ({
        type: types[Math.floor(next() * types.length)]!,
        direction: 'INBOUND',
        outcome: 'CONNECTED',
        timestamp: daysAgo(next() * 200 - 5),
      }))
      const halfLifeDays = 5 + next() * 60
      const sums = activitySums(
        { id: 'a', type: 'ACCOUNT', activities },
        { nowMs, weights: defaultWeights, halfLifeDays },
      )
      // Recomputed from the formula, without the maps of the code.
      const decayed = activities.map(({ type, timestamp }) => {
        const days = (nowMs - Date.parse(timestamp)) / dayMs
        return { type, points: days < 0 ? 0 : defaultWeights[type]! * Math.exp((-days * Math.LN2) / halfLifeDays) }
      })
      const all = decayed.reduce((sum, { points }) => sum + points, 0)
      const capped = types.map((type) =>
        Math.min(
          0.4 * all,
          decayed.reduce((sum, one) => sum + (one.type === type ? one.points : 0), 0),
        ),
      )
      const expected = capped.reduce((sum, points) => sum + points, 0)
      expect(sums.sum).toBeCloseTo(expected, 9)
      const { score, signals, exact } = activityScore(sums, 25)
      expect(exact).toBeCloseTo(100 * (1 - Math.exp(-expected / 25)), 9)
      expect(score).toBe(Math.round(exact * 100) / 100)
      const cents = signals.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)
      expect(cents).toBe(Math.round(score * 100))
    }
  })
})

const moments = (...days: [days: number, points: number][]) =>
  days.map(([age, points]) => ({ atMs: nowMs - age * dayMs, points }))

describe('F2, momentum', () => {
  it('compares three windows of fourteen days', () => {
    const found = momentumOf(
      moments([1, 6], [14, 6], [14.1, 4], [28, 4], [28.1, 10], [42, 0], [43, 50], [-1, 90]),
      nowMs,
    )
    expect(found.windows).toEqual([12, 8, 10])
    expect(found.velocity).toBe(0.5)
    expect(found.acceleration).toBe(0.5 - -0.2)
    expect(found.trend).toBe('ACCELERATING')
    // |12 − 8| is less than 1.96·√20.
    expect(found.significant).toBe(false)
  })

  it.each([
    [
      'GROWING',
      [
        [1, 12],
        [20, 10],
      ],
      0.2,
    ],
    [
      'STABLE',
      [
        [1, 11],
        [20, 10],
      ],
      0.1,
    ],
    [
      'STABLE',
      [
        [1, 9],
        [20, 10],
      ],
      -0.1,
    ],
    [
      'DECLINING',
      [
        [1, 8],
        [20, 10],
      ],
      -0.2,
    ],
    [
      'DECLINING',
      [
        [1, 5],
        [20, 10],
        [30, 40],
      ],
      -0.5,
    ],
    [
      'CHURNING',
      [
        [1, 5],
        [20, 10],
        [30, 8],
      ],
      -0.5,
    ],
    ['STABLE', [], 0],
    [
      'GROWING',
      [
        [1, 100],
        [20, 100 / 1.15],
        [30, 10],
      ],
      0.1499999999999999,
    ],
  ] as [string, [number, number][], number][])('is %s for %j', (trend, activities, velocity) => {
    const found = momentumOf(moments(...activities), nowMs)
    expect(found.velocity).toBeCloseTo(velocity, 12)
    expect(found.trend).toBe(trend)
  })

  it('limits the velocity, not the earlier one', () => {
    const found = momentumOf(moments([1, 100], [20, 1], [30, 10]), nowMs)
    expect(found.velocity).toBe(3)
    expect(found.acceleration).toBe(3 - (1 - 10) / 10)
    const steep = momentumOf(moments([1, 1], [20, 100], [30, 1]), nowMs)
    expect(steep.velocity).toBe(-0.99)
    expect(steep.acceleration).toBeCloseTo(-0.99 - 99 / 2, 12)
    expect(steep.significant).toBe(true)
  })

  it('is CHURNING after a silence of three usual gaps', () => {
    const weekly = (last: number) => moments(...[0, 7, 14, 21].map((age): [number, number] => [last + age, 5]))
    const silent = { silenceDays: 22, usualGapDays: 7, trend: 'CHURNING' }
    expect(momentumOf(weekly(22), nowMs, 365)).toMatchObject(silent)
    expect(momentumOf(weekly(21), nowMs, 365)).toMatchObject({ ...silent, silenceDays: 21, trend: 'ACCELERATING' })
    // Two different times have no usual gap; gaps of minutes count as a day.
    expect(momentumOf(moments([50, 5], [50, 5], [51, 5]), nowMs).usualGapDays).toBeNull()
    expect(momentumOf(moments([2, 5], [2.01, 5], [2.02, 5]), nowMs)).toMatchObject({
      usualGapDays: 1,
      trend: 'ACCELERATING',
    })
  })

  it('has a score from 0 to 100', () => {
    expect([-1, -0.5, 0, 1.5, 3].map(momentumScore)).toEqual([0, 25, 50, 75, 100])
  })
})

/** PageRank with a whole matrix. */
function denseRanks(importance: readonly number[], edges: readonly Edge[]): number[] {
  const size = importance.length
  const total = importance.reduce((sum, value) => sum + value, 0)
  const home = importance.map((value) => value / total)
  const matrix = Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
  for (const { from, to, weight } of edges) {
    matrix[from]![to]! += weight
    matrix[to]![from]! += weight
  }
  let ranks = home
  for (let round = 0; round < 100; round++) {
    const before = ranks
    ranks = home.map((own, node) => {
      let rank = 0.15 * own
      matrix.forEach((row, from) => {
        const out = row.reduce((sum, weight) => sum + weight, 0)
        rank += 0.85 * before[from]! * (out === 0 ? own : row[node]! / out)
      })
      return rank
    })
    if (ranks.reduce((sum, rank, node) => sum + Math.abs(rank - before[node]!), 0) < 1e-6) break
  }
  return ranks
}

describe('F3, network importance', () => {
  it('is that of a star, computed by hand', () => {
    // c = 0.05 + 0.85·2s and s = 0.05 + 0.85·c/2, so c = 0.135/0.2775.
    const [centre, ...others] = pageRank(
      [1, 1, 1],
      [
        { from: 0, to: 1, weight: 1 },
        { from: 2, to: 0, weight: 1 },
      ],
    )
    expect(centre).toBeCloseTo(0.135 / 0.2775, 5)
    expect(others).toHaveLength(2)
    for (const rank of others) expect(rank).toBeCloseTo((1 - 0.135 / 0.2775) / 2, 5)
  })

  it('equals the recomputation with a matrix, and adds up to 1', () => {
    const next = numbersOf(5)
    for (let round = 0; round < 40; round++) {
      const size = 1 + Math.floor(next() * 25)
      const importance = Array.from({ length: size }, () => 1 + Math.log1p(next() * 1e6))
      const edges = Array.from({ length: Math.floor(next() * 50) }, () => ({
        from: Math.floor(next() * size),
        to: Math.floor(next() * size),
        weight: next() * 2 + 0.01,
      })).filter(({ from, to }) => from !== to)
      const ranks = pageRank(importance, edges)
      expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9)
      denseRanks(importance, edges).forEach((rank, node) => expect(ranks[node]).toBeCloseTo(rank, 9))
    }
  })

  it('ignores relations to oneself, to nobody and without weight', () => {
    const relationships = [
      { targetId: 'a', type: 'PARENT_OF' },
      { targetId: 'nobody', type: 'PARENT_OF' },
      { targetId: 'b', type: 'PARENT_OF', strength: 0 },
      { targetId: 'b', type: 'INTERACTED', strength: 2.5 },
      { targetId: 'b', type: 'CHAMPION_ON' },
    ]
    const entities = [
      { id: 'a', type: 'ACCOUNT', relationships },
      { id: 'b', type: 'ACCOUNT' },
    ]
    expect(edgesOf(entities)).toEqual([
      { from: 0, to: 1, weight: 2.5 },
      { from: 0, to: 1, weight: 0.9 },
    ])
    expect(importanceOf({ id: 'a', type: 'ACCOUNT', properties: { openAmount: Math.E - 1 } })).toBe(2)
  })

  it('has percentiles with half of the equals', () => {
    expect([...percentilesOf([0.1, 0.4, 0.1, 0.2])]).toEqual([0.25, 0.875, 0.25, 0.625])
    expect([...percentilesOf([0.3, 0.3, 0.3 + 1e-16])]).toEqual([0.5, 0.5, 0.5])
    expect([...percentilesOf([])]).toEqual([])
  })
})

describe('Rank', () => {
  it('has the shares 30, 45 and 25 %, and explains each cent', () => {
    expect(rankScore({ network: 50, engagement: 60, momentum: 40 })).toEqual({
      score: 52,
      explanation: [
        { factor: 'NETWORK', contribution: 15 },
        { factor: 'ENGAGEMENT', contribution: 27 },
        { factor: 'MOMENTUM', contribution: 10 },
      ],
    })
    // 10.0005 + 15.00075 + 8.3335 = 33.33475: the cent that is missing goes to 8.3335.
    expect(rankScore({ network: 33.335, engagement: 33.335, momentum: 33.334 })).toEqual({
      score: 33.33,
      explanation: [
        { factor: 'NETWORK', contribution: 10 },
        { factor: 'ENGAGEMENT', contribution: 15 },
        { factor: 'MOMENTUM', contribution: 8.33 },
      ],
    })
  })
})
