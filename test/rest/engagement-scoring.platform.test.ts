import { beforeAll, describe, expect, it } from 'vitest'
import { refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
let session: Record<string, string>
let rest: RestClient

beforeAll(async () => {
  member = await platform.member()
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

  describe('with a large body', () => {
    const bytesMax = 1_048_576
    const kinds = ['score', 'at-risk', 'momentum', 'insights', 'batch', 'next-steps']
    /** A body of exactly so many bytes, of which a free-form property has most. */
    function bodyOf(kind: string, bytes: number): string {
      const body = (note: string): string => {
        const entities = [{ id: 'a', type: 'ACCOUNT', properties: { note } }]
        if (kind === 'batch') return JSON.stringify({ batches: [{ entities }] })
        return JSON.stringify(kind === 'next-steps' ? { entity: entities[0] } : { entities })
      }
      return body('x'.repeat(bytes - body('').length))
    }
    const headers = () => ({ ...session, 'content-type': 'application/json' })
    const send = (kind: string, body: string) =>
      fetch(`${platform.url}/v1/iris-rank/${kind}`, { method: 'POST', headers: headers(), body })

    it.each(kinds)('of 1 MiB is read by %s, and one byte more is 413', async (kind) => {
      expect((await send(kind, bodyOf(kind, bytesMax))).status).toBe(200)
      const refused = await send(kind, bodyOf(kind, bytesMax + 1))
      const { code, detail } = (await refused.json()) as { code: string; detail: string }
      const message = `The body must have at most ${bytesMax} bytes.`
      expect([refused.status, code, detail]).toEqual([413, 'PAYLOAD_TOO_LARGE', message])
    })

    it('of at most 15,000 values is read', async () => {
      // Each entity adds a comma and its opening; the object and the list are two more.
      const body = (entities: number): string => {
        const all = Array.from({ length: entities }, (_, index) => `{"id":"${index}","type":"ACCOUNT"}`)
        return `{"limit":5000,"entities":[${all.join()}]}`
      }
      const full = await send('score', body(4999))
      const { results } = (await full.json()) as { results: unknown[] }
      expect([full.status, results.length]).toEqual([200, 4999])
      const more = await send('score', body(5000))
      expect([more.status, ((await more.json()) as { code: string }).code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    })
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

const daysAgo = (days: number): string => new Date(platform.now.getTime() - days * 86_400_000).toISOString()

/** Entities with a weekly meeting that ended `days` ago, or that has just begun. */
const falling = (id: string, days: number) => ({
  id,
  type: 'ACCOUNT',
  activities: [0, 7, 14, 21].map((age) => meeting(daysAgo(days + age))),
})
const rising = (id: string, meetings: number) => ({
  id,
  type: 'ACCOUNT',
  activities: Array.from({ length: meetings }, () => meeting(daysAgo(1))),
})
const portfolio = () => [
  falling('lost', 40),
  falling('late', 24),
  rising('new', 1),
  rising('hot', 3),
  { id: 'calm', type: 'ACCOUNT' },
]
const ids = ({ body }: { body: { results: { id: string }[] } }) => body.results.map(({ id }) => id)

describe('engagementAtRisk and engagementMomentum', () => {
  it('return those whose engagement falls or grows, those that change most first', async () => {
    const entities = portfolio()
    const [atRisk, growing, one] = await Promise.all([
      rest.engagementAtRisk!({ body: { entities } }),
      rest.engagementMomentum!({ body: { entities } }),
      rest.engagementMomentum!({ body: { entities, limit: 1, significantOnly: true } }),
    ])
    expect([atRisk, growing].map(ids)).toEqual([
      ['late', 'lost'],
      ['hot', 'new'],
    ])
    expect(atRisk.body.results.map(({ momentum }: { momentum: object }) => momentum)).toMatchObject([
      { trend: 'CHURNING', silenceDays: 24, usualGapDays: 7 },
      { trend: 'CHURNING', silenceDays: 40, usualGapDays: 7 },
    ])
    expect(ids(one)).toEqual(['hot'])
    expect(growing.body.stats.entities).toBe(5)
  })
})

describe('engagementRankBatch', () => {
  it('ranks each list by itself', async () => {
    const [first, second] = [[rising('a', 1), { id: 'b', type: 'LEAD' }], [{ id: 'a', type: 'ACCOUNT' }]]
    const { status, body } = await rest.engagementRankBatch!({
      body: { batches: [{ entities: first, limit: 1 }, { entities: second }, { entities: [] }] },
    })
    expect([status, body.results.map((each: any) => ids({ body: each }))]).toEqual([200, [['a'], ['a'], []]]) // oxlint-disable-line typescript/no-explicit-any
    expect(body.results.map(({ stats }: { stats: { entities: number } }) => stats.entities)).toEqual([2, 1, 0])
  })

  it.each([
    [{ batches: [] }, 'batches'],
    [{ batches: Array.from({ length: 21 }, () => ({ entities: [] })) }, 'batches'],
    [{ batches: [{ entities: [] }, { entities: [{ id: 'a', type: '' }] }] }, 'batches.1.entities.0.type'],
  ])('refuses lists outside of the bounds', async (body, path) => {
    const [status, , problem] = await refusedInputs(platform, () => rest.engagementRankBatch!({ body }))
    expect([status, String(problem).split(' ')[0]]).toEqual([400, path])
  })
})

describe('engagementInsights', () => {
  it('describes the portfolio', async () => {
    const { status, body } = await rest.engagementInsights!({ body: { entities: portfolio() } })
    expect(status).toBe(200)
    expect(body.distribution.total).toBe(5)
    expect(body.trends).toContainEqual({ trend: 'CHURNING', count: 2, share: 40 })
    const found = body.recommendations.map(({ key, count }: { key: string; count: number }) => [key, count])
    expect(found).toEqual([
      ['RE_ENGAGE', 2],
      ['USE_MOMENTUM', 2],
      ['BEGIN_CONTACT', 1],
    ])
    const none = await rest.engagementInsights!({ body: { entities: [] } })
    expect(none.body).toMatchObject({
      distribution: { total: 0, averageScore: null, medianScore: null },
      recommendations: [],
    })
  })
})

describe('engagementNextSteps', () => {
  it('proposes at least one step, the most urgent first', async () => {
    const activities = [
      { type: 'FORM_SUBMISSION', timestamp: daysAgo(2) },
      { ...meeting(daysAgo(3)), outcome: 'NO_SHOW' },
    ]
    const { status, body } = await rest.engagementNextSteps!({
      body: { entity: { id: 'x', type: 'LEAD', activities } },
    })
    expect([status, body.entityId, body.source]).toEqual([200, 'x', 'RULES'])
    expect(body.steps.map(({ action }: { action: string }) => action)).toEqual([
      'ANSWER_REQUEST',
      'RESCHEDULE_MEETING',
      'USE_OTHER_CHANNEL',
      'FIND_CONTACTS',
    ])
  })

  it('names the path of what it refuses', async () => {
    const entity = { id: 'x', type: 'LEAD', relationships: [{ targetId: '', type: 'PARENT_OF' }] }
    const [status, , problem] = await refusedInputs(platform, () => rest.engagementNextSteps!({ body: { entity } }))
    expect([status, String(problem).split(' ')[0]]).toEqual([400, 'entity.relationships.0.targetId'])
  })
})

describe('engagementStats', () => {
  it('counts the computations of the organization, and the requests that kept answers have answered', async () => {
    const organizationId = await platform.organization('Counted')
    const other = await platform.member({ organizationId })
    const headers = { Authorization: `Bearer ${await sessionOf(platform, other)}` }
    const own = restClient(platform.contract, platform.url, headers)
    expect((await own.engagementStats!()).body).toEqual({
      computations: 0,
      entities: 0,
      p50Ms: null,
      p95Ms: null,
      cache: { entries: 0, hits: 0, misses: 0 },
    })
    const body = { entities: portfolio() }
    const first = await own.engagementRank!({ body })
    platform.now = new Date(platform.now.getTime() + 59_000)
    const again = await own.engagementRank!({ body })
    expect(again.body).toEqual(first.body)
    platform.now = new Date(platform.now.getTime() + 2_000)
    const later = await own.engagementRank!({ body })
    expect(later.body.computedAt).toBe(platform.now.toISOString())
    await own.engagementNextSteps!({ body: { entity: { id: 'x', type: 'LEAD' } } })
    const stats = (await own.engagementStats!()).body
    expect(stats).toMatchObject({ computations: 3, entities: 11, cache: { entries: 2, hits: 1, misses: 3 } })
    expect([10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]).toContain(stats.p95Ms)
    // Another organization has its own answers, and refused requests are not counted.
    const [mine] = await platform.query<{ answers: number }>(
      'select count(*)::int as answers from insights.engagement_answer where organization_id = $1',
      [member.organizationId],
    )
    expect(mine!.answers).toBeGreaterThan(0)
    await own.engagementRank!({ body: { entities: [], limit: 0 } })
    expect((await own.engagementStats!()).body).toEqual(stats)
  })
})

describe('engagementHealth', () => {
  it('needs no credential', async () => {
    const anyone = restClient(platform.contract, platform.url, {})
    const { status, body } = await anyone.engagementHealth!()
    expect([status, body]).toEqual([200, { status: 'ok' }])
    const known = await Promise.all([rest, member.rest].map((client) => client.engagementHealth!()))
    expect(known.map((answer) => answer.status)).toEqual([200, 200])
  })
})

describe('the area', () => {
  it('is for sessions only, and takes no Idempotency-Key', async () => {
    const refused = await member.rest.engagementRank!({ body: { entities: [] } })
    expect([refused.status, refused.body.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
    const headers = { 'Idempotency-Key': 'once' }
    const [first, second] = [
      await rest.engagementRank!({ body: { entities: [] }, headers }),
      await rest.engagementRank!({ body: { entities: [rising('a', 1)] }, headers }),
    ]
    expect([first.status, second.status, second.body.stats.entities]).toEqual([200, 200, 1])
  })
})
