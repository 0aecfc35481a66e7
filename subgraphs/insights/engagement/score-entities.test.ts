import { describe, expect, it } from 'vitest'
import { dayMs } from '../../kernel/time/wall-calendar.ts'
import type { EngagementEntity } from './entities.ts'
import { nextStepsOf } from './next-steps.ts'
import { portfolioOf } from './portfolio.ts'
import { rankEntities } from './score-entities.ts'

const nowMs = Date.parse('2026-11-21T00:00:00.000Z')
const daysAgo = (days: number): string => new Date(nowMs - days * dayMs).toISOString()
const rank = (...entities: EngagementEntity[]) => rankEntities(entities, {}, nowMs)

const everyNumber = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(everyNumber)
      : []

describe('rankEntities', () => {
  it('scores a small network as computed by hand', () => {
    const { ranked, stats } = rank(
      {
        id: 'acme',
        type: 'ACCOUNT',
        name: 'Acme',
        activities: [
          { type: 'MEETING', timestamp: daysAgo(0) },
          { type: 'CALL', outcome: 'CONNECTED', timestamp: daysAgo(30) },
          { type: 'MEETING', timestamp: daysAgo(-3) },
        ],
      },
      { id: 'ida', type: 'CONTACT', relationships: [{ targetId: 'acme', type: 'EMPLOYED_AT' }] },
      { id: 'jon', type: 'CONTACT', relationships: [{ targetId: 'acme', type: 'EMPLOYED_AT' }] },
    )
    // 10 + 3 = 13, of which meetings count 5.2: S = 8.2, and 100·(1 − e^(−8.2/25)) = 27.963….
    // Velocity (10 − 0)/2 is limited to 3. The account is the centre: (2 + 1/2)/3 = 83.33 %.
    expect(stats).toEqual({
      entities: 3,
      activities: 3,
      futureActivities: 1,
      relationships: 2,
      ignoredRelationships: 0,
      k: 25,
    })
    expect(ranked[0]).toEqual({
      id: 'acme',
      type: 'ACCOUNT',
      name: 'Acme',
      rank: 1,
      score: 62.58,
      networkScore: 83.33,
      activityScore: 27.96,
      momentumScore: 100,
      momentum: {
        velocity: 3,
        acceleration: 4,
        trend: 'ACCELERATING',
        significant: true,
        silenceDays: 0,
        usualGapDays: null,
      },
      activitySignals: [
        { channel: 'CALL', activities: 1, contribution: 10.23 },
        { channel: 'MEETING', activities: 1, contribution: 17.73 },
      ],
      explanation: [
        { factor: 'NETWORK', contribution: 25 },
        { factor: 'ENGAGEMENT', contribution: 12.58 },
        { factor: 'MOMENTUM', contribution: 25 },
      ],
      insights: [{ key: 'RISING', text: 'Engagement rose from 0 to 10 points in 14 days.' }],
    })
    expect(ranked.slice(1)).toMatchObject([
      { id: 'ida', rank: 2, score: 22.5, networkScore: 33.33, activityScore: 0, momentumScore: 50 },
      { id: 'jon', rank: 3, score: 22.5, networkScore: 33.33, activityScore: 0, momentumScore: 50 },
    ])
  })

  it('has defined answers for nothing, one activity, the future and identical entities', () => {
    expect(rank()).toEqual({
      ranked: [],
      stats: { entities: 0, activities: 0, futureActivities: 0, relationships: 0, ignoredRelationships: 0, k: 25 },
    })
    const same = Array.from({ length: 40 }, (_, index) => ({
      id: `e${index}`,
      type: 'ACCOUNT',
      activities: [{ type: 'MEETING', timestamp: daysAgo(0) }],
    }))
    const { ranked, stats } = rank(...same)
    // All are at the 75th percentile, so each scores 75; and each is in the middle of the network.
    expect(stats.k).toBeCloseTo(4 / Math.log(4), 5)
    expect(new Set(ranked.map(({ activityScore }) => activityScore))).toEqual(new Set([75]))
    expect(new Set(ranked.map(({ networkScore }) => networkScore))).toEqual(new Set([50]))
    const [future] = rank({
      id: 'f',
      type: 'ACCOUNT',
      activities: [{ type: 'MEETING', timestamp: daysAgo(-1) }],
    }).ranked
    expect(future).toMatchObject({
      activityScore: 0,
      momentumScore: 50,
      momentum: { silenceDays: null, trend: 'STABLE' },
    })
    const far = rank({
      id: 'f',
      type: 'ACCOUNT',
      activities: [{ type: 'MEETING', timestamp: '0001-01-01T00:00:00.000Z' }],
    })
    for (const value of [rank(), { ranked, stats }, far, portfolioOf(rank()), portfolioOf(far)].flatMap(everyNumber))
      expect(value).toSatisfy(Number.isFinite)
  })

  it('explains every score to the cent, whatever the settings', () => {
    let seed = 3
    const next = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const types = ['MEETING', 'CLICK', 'OPEN', 'FORM_SUBMISSION', 'WEB_VISIT']
    const entities = Array.from({ length: 300 }, (_, index) => ({
      id: `e${index}`,
      type: next() < 0.3 ? 'LEAD' : 'ACCOUNT',
      properties: { openAmount: next() * 1e6 },
      relationships: [{ targetId: `e${Math.floor(next() * 320)}`, type: 'INTERACTED', strength: next() * 9 }],
      activities: Array.from({ length: Math.floor(next() * 9) }, () => ({
        type: types[Math.floor(next() * types.length)]!,
        timestamp: daysAgo(next() * 70),
      })),
    }))
    for (const settings of [{}, { rank: { network: 0.2, engagement: 0.2, momentum: 0.6 }, k: 7, halfLifeDays: 3 }]) {
      const { ranked } = rankEntities(entities, settings, nowMs)
      expect(ranked.map(({ rank: place }) => place)).toEqual(entities.map((_, index) => index + 1))
      for (const [index, { score, explanation, activityScore, activitySignals }] of ranked.entries()) {
        const cents = (parts: readonly { contribution: number }[]) =>
          parts.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)
        expect(cents(explanation)).toBe(Math.round(score * 100))
        expect(cents(activitySignals)).toBe(Math.round(activityScore * 100))
        expect(score).toBeLessThanOrEqual(ranked[Math.max(0, index - 1)]!.score)
      }
    }
  })
})

describe('portfolioOf', () => {
  it('counts scores and trends, and recommends by the first rule that applies', () => {
    const weekly = (from: number) => [0, 7, 14, 21].map((days) => ({ type: 'OPEN', timestamp: daysAgo(from + days) }))
    const { distribution, trends, recommendations } = portfolioOf(
      rank(
        { id: 'lost', type: 'ACCOUNT', activities: weekly(60) },
        { id: 'new', type: 'ACCOUNT', activities: [{ type: 'MEETING', timestamp: daysAgo(1) }] },
        { id: 'unknown', type: 'ACCOUNT' },
      ),
    )
    expect(distribution.total).toBe(3)
    expect(distribution.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    expect(trends).toEqual([
      { trend: 'ACCELERATING', count: 1, share: 33.33 },
      { trend: 'GROWING', count: 0, share: 0 },
      { trend: 'STABLE', count: 1, share: 33.33 },
      { trend: 'DECLINING', count: 0, share: 0 },
      { trend: 'CHURNING', count: 1, share: 33.33 },
    ])
    expect(recommendations.map(({ key, priority, entityIds }) => [key, priority, entityIds])).toEqual([
      ['RE_ENGAGE', 'HIGH', ['lost']],
      ['USE_MOMENTUM', 'MEDIUM', ['new']],
      ['BEGIN_CONTACT', 'LOW', ['unknown']],
    ])
  })
})

describe('nextStepsOf', () => {
  const stepsOf = (entity: EngagementEntity) => nextStepsOf(entity, rank(entity).ranked[0]!, nowMs).steps
  const of = (...activities: NonNullable<EngagementEntity['activities']>): EngagementEntity => ({
    id: 'a',
    type: 'ACCOUNT',
    relationships: [{ targetId: 'b', type: 'CHAMPION_ON' }],
    activities,
  })

  it('names what to do first, and where its reason is', () => {
    const entity = of(
      { type: 'FORM_SUBMISSION', timestamp: daysAgo(2) },
      { type: 'MEETING', outcome: 'NO_SHOW', timestamp: daysAgo(20) },
      { type: 'CALL', outcome: 'VOICEMAIL', sentiment: 'NEGATIVE', timestamp: daysAgo(5) },
    )
    expect(stepsOf(entity).map(({ action, priority, basedOn }) => [action, priority, basedOn[0]])).toEqual([
      ['RESOLVE_CONCERN', 'HIGH', 'entity.activities.2.sentiment'],
      ['ANSWER_REQUEST', 'HIGH', 'entity.activities.0'],
      ['RESCHEDULE_MEETING', 'HIGH', 'entity.activities.1.outcome'],
      ['PROPOSE_MEETING', 'HIGH', 'momentum.trend'],
      ['CALL_AGAIN', 'MEDIUM', 'entity.activities.2.outcome'],
      ['USE_OTHER_CHANNEL', 'LOW', 'activitySignals.0'],
    ])
  })

  it('answers also for an entity without activities, and for one without anything to do', () => {
    expect(stepsOf({ id: 'a', type: 'ACCOUNT' }).map(({ action }) => action)).toEqual([
      'BEGIN_CONTACT',
      'FIND_CONTACTS',
    ])
    const calm = [1, 8, 15, 22, 29, 36].flatMap((days) => [
      { type: 'MEETING', timestamp: daysAgo(days) },
      { type: 'CALL', outcome: 'CONNECTED', timestamp: daysAgo(days) },
    ])
    expect(stepsOf(of(...calm)).map(({ action }) => action)).toEqual(['KEEP_CONTACT'])
  })
})
