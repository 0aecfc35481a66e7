import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { dealScoreConsumer } from '../../subgraphs/insights/deal-score/deal-score-consumer.ts'
import { dealScoreDaily, dealScoreDirty, dealScoreHourly } from '../../subgraphs/insights/deal-score/deal-score.jobs.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, activity, contact, each, opportunity, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const dayMs = 86_400_000
let member: Member

/** A moment so many days before the time of the platform. */
const ago = (days: number): string => new Date(platform.now.getTime() - days * dayMs).toISOString()

const scoreOf = async (id: string, caller: Member = member) => {
  const { status, body } = await caller.rest.dealScore!({ dealId: id })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as {
    score: number
    factors: {
      key: string
      weight: number
      value: number
      contribution: number
      gainIfFixed: number
      evidence: string[]
    }[]
    [name: string]: unknown
  }
}
const valuesOf = async (id: string) =>
  Object.fromEntries((await scoreOf(id)).factors.map(({ key, value }) => [key, value]))

async function consumeEvents(): Promise<void> {
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, dealScoreConsumer, member.organizationId));
}

async function narrowed(fields: object): Promise<Member> {
  const other = await platform.member({ organizationId: member.organizationId })
  const ctx = systemContext(platform.services, member.organizationId)
  const profile = await createProfile(ctx, { name: `Narrow ${other.userId}`, fields: fields as never })
  await assignProfile(ctx, other.userId, profile.id)
  return other
}

/** Deals that were once in the stage for so many days, and were closed as many days after its beginning. */
async function closedDeals(
  count: number,
  values: object,
  { won, stageDays, closeDays }: Record<string, number> & { won: number },
) {
  const { id: accountId } = await account(member)
  return each(
    Array.from({ length: count }, (_, index) => index),
    async (index) => {
      const { id } = await opportunity(member, { accountId, stage: 'PROPOSAL', ...values })
      await member.rest.opportunityUpdate!({ id, body: { stage: index < won ? 'CLOSED_WON' : 'CLOSED_LOST' } })
      const [begin, moved, closed] = [closeDays!, closeDays! - stageDays!, 0].map(ago)
      await platform.query(
        `update crm.opportunity set closed_at = $2, stage_history = jsonb_set(jsonb_set(stage_history, '{0,enteredAt}', to_jsonb($3::text)), '{1,enteredAt}', to_jsonb($4::text))
       where id = $1`,
        [id, closed, begin, moved],
      )
      return id as string
    },
  )
}

beforeEach(async () => {
  member = await platform.member({ organizationId: await platform.organization() })
})

describe('GET /v1/deal-scoring/{dealId}/score', () => {
  it('computes each factor of F5 from the deal, its contacts and activities', async () => {
    const { id: accountId } = await account(member)
    const people = await each(['Ada', 'Bo'], (lastName) => contact(member, { lastName, accountId }))
    const { id } = await opportunity(member, {
      accountId,
      stage: 'PROPOSAL',
      closeDate: '2027-02-21',
      nextStep: 'Send the offer',
      contactRoles: [{ contactId: people[0].id, role: 'DECISION_MAKER' }],
    })
    // 24 days in a stage whose limit is 14: 1 − (24 − 14)/28. Pushed once.
    await platform.query('update crm.opportunity set stage_entered_at = $2, close_date_push_count = 1 where id = $1', [
      id,
      ago(24),
    ])
    const log = (values: object) => activity(member, { opportunityId: id, ...values })
    const call = await log({ type: 'CALL', outcome: 'CONNECTED', occurredAt: ago(5), contactId: people[0].id })
    const mail = await log({
      type: 'EMAIL',
      direction: 'INBOUND',
      sentiment: 'NEUTRAL',
      occurredAt: ago(20),
      contactId: people[1].id,
    })
    const sent = await each([6, 7, 8, 9], (days) =>
      log({ type: 'EMAIL', direction: 'OUTBOUND', occurredAt: ago(days) }),
    )
    // What software did, what was planned and what was not reached does not count.
    await log({ type: 'CALL', outcome: 'CONNECTED', occurredAt: ago(1), isAutomated: true })
    await log({ type: 'CALL', outcome: 'NO_ANSWER', occurredAt: ago(2) })
    const score = await scoreOf(id)
    const value = Object.fromEntries(score.factors.map((factor) => [factor.key, factor.value]))
    expect(value).toEqual({
      RECENCY: 0.7071, // 2^(−5/10)
      MOMENTUM: 0.7143, // (6 − 4.2)/4.2 = 0.4286, 0.5 + half of it
      STAGE_PACE: 0.6429,
      MULTI_THREADING: 0.6667, // two of three, with a decision maker
      CLOSE_DATE: 0.75, // no history of days left
      NEXT_STEP: 0.5,
      QUALIFICATION: 1,
      REPLY_RATIO: 0.25, // one of four
    })
    const exact = [0.2 * 2 ** -0.5, 0.1 * (0.5 + 1.8 / 4.2 / 2), (0.2 * 18) / 28, 0.1, 0.1125, 0.05, 0.05, 0.0125]
    expect(score.score).toBe(Math.round(1e4 * exact.reduce((sum, part) => sum + part, 0)) / 100)
    expect(score.factors.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)).toBe(
      Math.round(score.score * 100),
    )
    expect(score).toMatchObject({
      dealId: id,
      band: 'WATCH',
      // Nothing was ever closed: the stage's 55 %, as 20 deals.
      winProbability: 0.55,
      winProbabilityInterval: [0.3421, 0.7418],
      sampleSize: 0,
      level: 'ORGANIZATION',
      winProbabilitySource: 'STAGE_DEFAULT',
      computedAt: platform.now.toISOString(),
      trend: [{ date: '2027-02-01', score: score.score }],
    })
    expect(score['modelVersion']).toMatch(/^deal-[0-9a-f]{8}-2027-02-01$/)
    const evidence = Object.fromEntries(score.factors.map((factor) => [factor.key, factor.evidence]))
    expect(evidence).toEqual({
      RECENCY: [call.id, mail.id],
      MOMENTUM: [call.id, mail.id],
      STAGE_PACE: [],
      MULTI_THREADING: people.map((person) => person.id).toReversed(),
      CLOSE_DATE: [],
      NEXT_STEP: [],
      QUALIFICATION: [],
      REPLY_RATIO: [...sent.map((one) => one.id), mail.id],
    })
  })

  it('of a new deal without anything has defined values', async () => {
    const { id } = await opportunity(member, { stage: 'PROSPECTING', closeDate: '2027-01-31' })
    expect(await valuesOf(id)).toEqual({
      RECENCY: 0,
      MOMENTUM: 0.5,
      STAGE_PACE: 1,
      MULTI_THREADING: 0,
      CLOSE_DATE: 0, // It has passed.
      NEXT_STEP: 0,
      QUALIFICATION: 1,
      REPLY_RATIO: 0,
    })
    // A due task is a next step with a date; a close date of today has not passed.
    const { id: taskId } = await task(member, { opportunityId: id, dueDate: '2027-02-03' })
    await member.rest.opportunityUpdate!({ id, body: { closeDate: '2027-02-01' } })
    const { factors } = await scoreOf(id)
    expect(factors.find(({ key }) => key === 'NEXT_STEP')).toMatchObject({ value: 1, evidence: [taskId] })
    expect(factors.find(({ key }) => key === 'CLOSE_DATE')).toMatchObject({ value: 0.75 })
  })

  it('compares with the won deals of the stage from five on, and counts all closed ones for the win rate', async () => {
    await closedDeals(24, {}, { won: 10, stageDays: 10, closeDays: 40 })
    const { id } = await opportunity(member, { stage: 'PROPOSAL', closeDate: '2027-02-11' })
    await platform.query('update crm.opportunity set stage_entered_at = $2 where id = $1', [id, ago(15)])
    const score = await scoreOf(id)
    const value = Object.fromEntries(score.factors.map((factor) => [factor.key, factor.value]))
    // 15 days of usually 10: 1 − 5/20. Ten days left of usually 40.
    expect(value).toMatchObject({ STAGE_PACE: 0.75, CLOSE_DATE: 0.25 })
    // (10 + 20·0.55) / (24 + 20), of the owner, who has closed at least 20.
    expect(score).toMatchObject({
      winProbability: 0.4773,
      sampleSize: 24,
      level: 'OWNER',
      winProbabilitySource: 'STAGE_HISTORY',
    })
    const { body } = await member.rest.dealInsights!({ dealId: id })
    // All ten took longer than ten days: (10 + 10) / 30. Predicted: 40 days from today.
    expect(body).toMatchObject({ dealId: id, predictedCloseDate: '2027-03-13T00:00:00.000Z', slipRiskPercent: 66.67 })
    expect(body.similarDeals).toHaveLength(5)
    // Deals that were closed since then count from the next day on.
    await closedDeals(6, {}, { won: 6, stageDays: 10, closeDays: 40 })
    expect(await scoreOf(id)).toMatchObject({ sampleSize: 24 })
    platform.advanceClock(dayMs)
    await dealScoreDaily.run(platform.services)
    // (16 + 11) / (30 + 20).
    expect(await scoreOf(id)).toMatchObject({ sampleSize: 30, winProbability: 0.54 })
  })

  it('of a closed deal has no health', async () => {
    const { id } = await opportunity(member)
    await scoreOf(id)
    await member.rest.opportunityUpdate!({ id, body: { stage: 'CLOSED_WON' } })
    expect(await scoreOf(id)).toMatchObject({
      score: null,
      band: null,
      factors: [],
      winProbability: 1,
      winProbabilityInterval: [1, 1],
      trend: [],
    })
    const { body } = await member.rest.dealInsights!({ dealId: id })
    expect(body).toMatchObject({
      slipRiskPercent: null,
      risks: [],
      strengths: [],
      nextBestActions: [],
      similarDeals: [],
    })
  })

  it('keeps the first score of each day for 90 days', async () => {
    const { id } = await opportunity(member, { stage: 'PROPOSAL', closeDate: '2028-01-01' })
    const date = (): string => platform.now.toISOString().slice(0, 10)
    const first = { date: date(), score: (await scoreOf(id)).score }
    await dealScoreHourly.run(platform.services)
    platform.advanceClock(20 * dayMs)
    await dealScoreHourly.run(platform.services)
    const later = { date: date(), score: (await scoreOf(id)).score }
    // 20 days of 14: 1 − 6/28.
    expect(later.score).toBe(Math.round((first.score - (20 * 6) / 28) * 100) / 100)
    expect((await scoreOf(id))['trend']).toEqual([first, later])
    await platform.query('update insights.deal_score_day set day = day - 71 where deal_id = $1 and day = $2', [
      id,
      first.date,
    ])
    expect((await scoreOf(id))['trend']).toEqual([later])
    await dealScoreDaily.run(platform.services)
    const rest = 'select day from insights.deal_score_day where deal_id = $1'
    expect(await platform.query(rest, [id])).toEqual([{ day: later.date }])
  })
})

describe('what a caller must not see', () => {
  it('is 404 out of sight, for every organization and visibility', async () => {
    const { id } = await opportunity(member)
    const narrow = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    const stranger = await platform.member({ organizationId: await platform.organization() })
    for (const caller of [narrow, stranger])
      for (const dealId of [id, 'nonsense', member.userId])
        for (const read of ['dealScore', 'dealInsights'])
          expect((await caller.rest[read]!({ dealId })).status).toBe(404)
    const { body } = await narrow.rest.dealScoreDistribution!({})
    expect(body).toMatchObject({ total: 0, averageScore: null, byStage: [], byOwner: [] })
    expect((await member.rest.dealScoreDistribution!({})).body.total).toBe(1)
  })

  it('is no evidence, while its activities count', async () => {
    const other = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    const { id } = await opportunity(member, { ownerId: other.userId })
    const call = { type: 'CALL', outcome: 'CONNECTED', opportunityId: id }
    const { id: hidden } = await activity(member, { ...call, ownerId: member.userId })
    const { id: seen } = await activity(member, { ...call, ownerId: other.userId, occurredAt: ago(3) })
    const recency = async (caller: Member) => (await scoreOf(id, caller)).factors.find(({ key }) => key === 'RECENCY')
    expect(await recency(other)).toMatchObject({ value: 1, evidence: [seen] })
    expect(await recency(member)).toMatchObject({ value: 1, evidence: [hidden, seen] })
  })

  it('is no evidence where a hidden field would follow from it', async () => {
    const { id } = await opportunity(member)
    await task(member, { opportunityId: id, dueDate: ago(-2) })
    await activity(member, { type: 'MEETING', opportunityId: id, occurredAt: ago(-1) })
    const evidence = async (caller: Member) =>
      (await scoreOf(id, caller)).factors.find(({ key }) => key === 'NEXT_STEP')?.evidence.length
    expect(await evidence(member)).toBe(2)
    expect(await evidence(await narrowed({ task: { opportunityId: 'HIDDEN' } }))).toBe(1)
    expect(await evidence(await narrowed({ task: { dueDate: 'HIDDEN' } }))).toBe(1)
    expect(await evidence(await narrowed({ activity: { opportunityId: 'HIDDEN' } }))).toBe(1)
  })

  it('drops out with hidden fields, so that its value cannot be computed from the score', async () => {
    const { id } = await opportunity(member, { nextStep: 'Call', amount: 100 })
    const caller = await narrowed({
      opportunity: { nextStep: 'HIDDEN', ownerId: 'HIDDEN', baseAmount: 'HIDDEN' },
      activity: { outcome: 'HIDDEN' },
    })
    const before = await scoreOf(id, caller)
    expect(before.factors.map(({ key, weight }) => [key, weight])).toEqual([
      ['STAGE_PACE', 0.5],
      ['CLOSE_DATE', 0.375],
      ['QUALIFICATION', 0.125],
    ])
    await member.rest.opportunityUpdate!({ id, body: { nextStep: null } })
    await activity(member, { type: 'CALL', outcome: 'CONNECTED', opportunityId: id })
    expect(await scoreOf(id, caller)).toMatchObject({ score: before.score, level: 'ORGANIZATION' })
    const { body } = await caller.rest.dealScoreDistribution!({})
    expect(body).toMatchObject({
      total: 1,
      averageScore: before.score,
      currency: null,
      unconverted: null,
      byOwner: null,
    })
    expect([...body.bands, ...body.byStage].map(({ amount }) => amount)).toEqual(Array(5).fill(null))
  })
})

describe('GET /v1/deal-scoring/distribution', () => {
  it('counts the open deals by band, score, stage and owner, with amounts in the base currency', async () => {
    const other = await platform.member({ organizationId: member.organizationId })
    const make = (values: object) => opportunity(member, { closeDate: '2027-06-01', ...values })
    const deals = [
      await make({ stage: 'PROPOSAL', amount: 100 }),
      await make({ stage: 'PROPOSAL', amount: 50.25, closeDate: '2027-01-01' }),
      await make({ stage: 'NEGOTIATION', amount: 10, ownerId: other.userId, nextStep: 'Sign' }),
      await make({ stage: 'NEGOTIATION', amount: 7, currency: 'CHF' }),
    ]
    await make({ stage: 'CLOSED_WON', amount: 1000 })
    const scores = (await each(deals, ({ id }) => scoreOf(id))).map(({ score }) => score)
    expect(scores).toEqual([45, 30, 50, 45])
    const { body } = await member.rest.dealScoreDistribution!({})
    expect(body).toEqual({
      total: 4,
      unscored: 0,
      averageScore: 42.5,
      currency: 'USD',
      unconverted: 1,
      bands: [
        { band: 'HEALTHY', count: 0, amount: 0 },
        { band: 'WATCH', count: 0, amount: 0 },
        { band: 'AT_RISK', count: 3, amount: 110 },
        { band: 'CRITICAL', count: 1, amount: 50.25 },
      ],
      histogram: [0, 10, 20, 30, 40, 50, 60, 70, 80, 90].map((from) => ({
        from,
        to: from + 10,
        count: { 30: 1, 40: 2, 50: 1 }[from] ?? 0,
      })),
      byStage: [
        { pipelineId: expect.any(String), stage: 'NEGOTIATION', count: 2, averageScore: 47.5, amount: 10 },
        { pipelineId: expect.any(String), stage: 'PROPOSAL', count: 2, averageScore: 37.5, amount: 150.25 },
      ],
      byOwner: [
        { ownerId: member.userId, count: 3, averageScore: 40, amount: 150.25 },
        { ownerId: other.userId, count: 1, averageScore: 50, amount: 10 },
      ],
    })
  })

  it('of no deals has zeros', async () => {
    const { body } = await member.rest.dealScoreDistribution!({})
    expect(body).toMatchObject({ total: 0, unscored: 0, averageScore: null, unconverted: 0, byStage: [], byOwner: [] })
    expect(body.bands.map(({ amount }: { amount: number }) => amount)).toEqual([0, 0, 0, 0])
  })
})

describe('Opportunity.score', () => {
  it('of a list is the score of the operation, read together, for a key that may read deals only', async () => {
    const deals = await each(['A', 'B', 'C'], (name) => opportunity(member, { name, stage: 'PROPOSAL' }))
    await activity(member, { type: 'CALL', outcome: 'CONNECTED', opportunityId: deals[0].id })
    const key = await platform.member({ organizationId: member.organizationId, scopes: ['READ_OPPORTUNITIES'] })
    const query =
      '{ opportunityList(orderBy: [{ field: name, direction: ASC }]) { data { id score { score factors { key evidence } trend { date score } } } } }'
    const { body } = await key.graphql(query)
    expect(body.errors).toBeUndefined()
    const scores = await each(deals, ({ id }) => scoreOf(id))
    const found = body.data.opportunityList.data as { score: { score: number; factors: { evidence: string[] }[] } }[]
    expect(found.map(({ score }) => score.score)).toEqual(scores.map(({ score }) => score))
    expect(found[0]!.score.factors.map(({ evidence }) => evidence.length)).toEqual(Array(8).fill(0))
    expect(scores[0]!.factors[0]!.evidence).toHaveLength(1)
  })
})

describe('stored scores', () => {
  it('equal a computation from scratch after any changes', async () => {
    let seed = 7
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below
    const { id: accountId } = await account(member)
    const people = await each([1, 2, 3], (lastName) => contact(member, { lastName: `${lastName}`, accountId }))
    const deals = await each([1, 2, 3, 4], () => opportunity(member, { accountId, stage: 'PROPOSAL' }))
    const logged: string[] = []
    const [pipeline] = await platform.query<{ id: string }>('select id from crm.pipeline where organization_id = $1', [
      member.organizationId,
    ])
    const changes = [
      async (dealId: string) => {
        const type = ['CALL', 'EMAIL', 'MEETING', 'NOTE'][random(4)]!
        const values = {
          outcome: [null, 'CONNECTED', 'REPLIED'][random(3)],
          direction: ['INBOUND', 'OUTBOUND'][random(2)],
        }
        const { id } = await activity(member, {
          type,
          ...values,
          opportunityId: dealId,
          contactId: people[random(3)].id,
          occurredAt: ago(random(40)),
        })
        logged.push(id as string)
      },
      async () => {
        const id = logged.splice(random(Math.max(1, logged.length)), 1)[0]
        if (id) await member.rest.activityDelete!({ id })
      },
      (id: string) =>
        member.rest.opportunityUpdate!({
          id,
          body: { nextStep: `Step ${random(9)}`, closeDate: `2027-03-0${1 + random(9)}` },
        }),
      (id: string) =>
        member.rest.opportunityUpdate!({ id, body: { contactRoles: [{ contactId: people[random(3)].id }] } }),
      () =>
        member.rest.contactUpdate!({
          id: people[random(3)].id,
          body: { buyingRole: ['DECISION_MAKER', 'CHAMPION'][random(2)] },
        }),
      (id: string) => task(member, { opportunityId: id, dueDate: `2027-02-1${random(9)}` }),
      async () => {
        const { body } = await member.rest.pipeline!({ id: pipeline!.id })
        const stages = body.stages.map((stage: object) => ({ ...stage, rottenAfterDays: 1 + random(5) }))
        await member.rest.pipelineUpdate!({ id: pipeline!.id, body: { stages } })
      },
    ]
    const stored = () =>
      platform.query(
        `select deal_id, recency, momentum, stage_pace, multi_threading, close_date, next_step, qualification, reply_ratio
         from insights.deal_score where organization_id = $1 order by deal_id`,
        [member.organizationId],
      )
    platform.advanceClock(10 * dayMs)
    for (let round = 0; round < 12; round++) {
      for (let step = 0; step < 4; step++) await changes[random(changes.length)]!(deals[random(4)].id as string)
      await consumeEvents()
      await member.rest.dealScoreDistribution!({})
      const found = await stored()
      await platform.query('delete from insights.deal_score where organization_id = $1', [member.organizationId])
      await dealScoreHourly.run(platform.services)
      expect(found).toEqual(await stored())
      expect(found).toHaveLength(4)
    }
  })

  it('follow a change of the deal at once, before its event is consumed', async () => {
    const { id } = await opportunity(member)
    expect(await valuesOf(id)).toMatchObject({ NEXT_STEP: 0, CLOSE_DATE: 1 })
    const closeDate = ago(1)
    await member.rest.opportunityUpdate!({ id, body: { nextStep: 'Send the offer', closeDate } })
    expect(await valuesOf(id)).toMatchObject({ NEXT_STEP: 0.5, CLOSE_DATE: 0 })
  })

  it('never change the health that clients have given a deal', async () => {
    const { id } = await opportunity(member, { healthScore: 12 })
    await consumeEvents()
    for (const job of [dealScoreDirty, dealScoreHourly, dealScoreDaily]) await job.run(platform.services)
    expect((await scoreOf(id as string)).score).not.toBe(12)
    expect((await member.rest.opportunity!({ id })).body).toMatchObject({ healthScore: 12, version: 1 })
  })

  it('that are dirty are computed by the job, and closed deals lose theirs', async () => {
    const deals = await each([1, 2], () => opportunity(member))
    await consumeEvents()
    const rows = () =>
      platform.query<{ id: string; dirty: boolean }>(
        'select deal_id as id, is_dirty as dirty from insights.deal_score where organization_id = $1 order by deal_id',
        [member.organizationId],
      )
    expect((await rows()).map(({ dirty }) => dirty)).toEqual([true, true])
    await dealScoreDirty.run(platform.services)
    expect((await rows()).map(({ dirty }) => dirty)).toEqual([false, false])
    await member.rest.opportunityUpdate!({ id: deals[0].id, body: { stage: 'CLOSED_LOST' } })
    await consumeEvents()
    await dealScoreDirty.run(platform.services)
    expect((await rows()).map(({ id }) => id)).toEqual([deals[1].id])
  })
})
