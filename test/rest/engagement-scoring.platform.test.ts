import { beforeAll, describe, expect, it } from 'vitest'
import { refusedInputs } from '../expectations.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let session: Record<string, string>
let rest: RestClient

beforeAll(async () => {
  const member = await platform.member()
  session = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
  rest = restClient(platform.contract, platform.url, session)
})

const meeting = (timestamp: string) => ({ type: 'MEETING', timestamp })
describe('engagementRank', () => {
  it('ranks the entities of the request, best first, and only as many as asked for', async () => {
    const now = platform.now.toISOString()
    const entities = [
      { id: 'quiet', type: 'ACCOUNT' },
      {
        id: 'busy',
        type: 'ACCOUNT',
        name: 'Acme',
        activities: [meeting(now)],
        properties: { openAmount: 100, note: [1] },
      },
    ]
    const { status, body } = await rest.engagementRank!({ body: { entities, limit: 1 } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      results: [
        {
          id: 'busy',
          name: 'Acme',
          rank: 1,
          networkScore: 75,
          // 40 % of ten points: 100·(1 − e^(−4/25)).
          activityScore: 14.79,
          momentumScore: 100,
          score: 54.15,
          explanation: [
            { factor: 'NETWORK', contribution: 22.5 },
            { factor: 'ENGAGEMENT', contribution: 6.65 },
            { factor: 'MOMENTUM', contribution: 25 },
          ],
          activitySignals: [{ channel: 'MEETING', activities: 1, contribution: 14.79 }],
        },
      ],
      stats: { entities: 2, activities: 1, futureActivities: 0, relationships: 0, ignoredRelationships: 0, k: 25 },
    })
    expect(body.results).toHaveLength(1)
    const none = await rest.engagementRank!({ body: { entities: [] } })
    expect([none.status, none.body.results]).toEqual([200, []])
  })

  it('uses the settings of the request', async () => {
    const config = {
      k: 4,
      halfLifeDays: 10,
      windowDays: 30,
      weights: [{ type: 'NOTE', weight: 20 }],
      rank: { network: 0, engagement: 1, momentum: 0 },
    }
    const timestamp = new Date(platform.now.getTime() - 10 * 86_400_000).toISOString()
    const entities = [{ id: 'a', type: 'LEAD', activities: [{ type: 'NOTE', timestamp }] }]
    const { body } = await rest.engagementRank!({ body: { entities, config } })
    // 20 points, halved once, 40 % of them: 100·(1 − e^(−4/4)).
    expect(body.results[0]).toMatchObject({ score: 63.21, activityScore: 63.21, momentumScore: 100 })
    expect(body.stats.k).toBe(4)
  })

  it.each([
    [{ entities: [{ id: '', type: 'ACCOUNT' }] }, ['entities.0.id']],
    [{ entities: [{ id: ' ', type: 'ACCOUNT' }] }, ['entities.0.id']],
    [
      {
        entities: [
          { id: 'a', type: 'A' },
          { id: 'a', type: 'A' },
        ],
      },
      ['entities.1.id'],
    ],
    [{ entities: [{ id: 'a', type: 'A', properties: { openAmount: 'much' } }] }, ['entities.0.properties.openAmount']],
    [{ entities: [{ id: 'a', type: 'A', properties: { openAmount: -1 } }] }, ['entities.0.properties.openAmount']],
    [
      { entities: [{ id: 'a', type: 'A', activities: [{ type: 'DANCE', timestamp: '2026-01-01' }] }] },
      ['entities.0.activities.0.type'],
    ],
    [{ entities: [{ id: 'a', type: 'A', activities: [meeting('yesterday')] }] }, ['entities.0.activities.0.timestamp']],
    [{ entities: [], limit: 0 }, ['limit']],
    [{ entities: [], limit: 5001 }, ['limit']],
    [{ entities: [], config: { halfLifeDays: 0 } }, ['config.halfLifeDays']],
    [{ entities: [], config: { rank: { network: 0.5, engagement: 0.5, momentum: 0.5 } } }, ['config.rank']],
    [
      {
        entities: [],
        config: {
          weights: [
            { type: 'NOTE', weight: 1 },
            { type: 'NOTE', weight: 2 },
          ],
        },
      },
      ['config.weights.1.type'],
    ],
    [{ entities: [], colour: 'red' }, ['colour']],
    [{}, ['entities']],
  ])('refuses %j with 400 and its path', async (body, expected) => {
    const [status, , ...problems] = await refusedInputs(platform, () => rest.engagementRank!({ body }))
    expect([status, problems.map((problem) => String(problem).split(' ')[0])]).toEqual([400, expected])
  })

  it('has the same bounds in GraphQL', async () => {
    const entities = [{ id: 'a', type: 'ACCOUNT', relationships: [{ targetId: 'b', type: 'PARENT_OF', strength: -1 }] }]
    const query = 'query ($input: EngagementRankInput!) { engagementRank(input: $input) { results { id } } }'
    const { body } = await answerOf(
      await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...session },
        body: JSON.stringify({ query, variables: { input: { entities } } }),
      }),
    )
    expect(body.errors[0]).toMatchObject({
      message: 'input.entities.0.relationships.0.strength must be between 0 and 1000000.',
      extensions: { code: 'VALIDATION_FAILED' },
    })
  })
})

describe('engagementConfig', () => {
  it('returns the defaults of the scores', async () => {
    const { status, body } = await rest.engagementConfig!()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      rank: { network: 0.3, engagement: 0.45, momentum: 0.25 },
      halfLifeDays: 30,
      windowDays: 14,
      k: 25,
      relationshipTypes: ['EMPLOYED_AT', 'DECISION_MAKER_ON', 'CHAMPION_ON', 'REPORTS_TO', 'INTERACTED', 'PARENT_OF'],
    })
    expect(body.weights).toContainEqual({ type: 'MEETING', weight: 10 })
    expect(body.edges).toContainEqual({ type: 'CHAMPION_ON', weight: 0.9 })
  })
})
