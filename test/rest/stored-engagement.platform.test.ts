import { beforeAll, describe, expect, it } from 'vitest'
import { account, activity, contact, each, lead, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import type { EventConsumer } from '../../subgraphs/kernel/outbox/event-consumer.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { dayMs } from '../../subgraphs/kernel/time/wall-calendar.ts'
import { defaultWeights, pointsOf, qualities } from '../../subgraphs/insights/engagement/weights.ts'
import { channels, columnOf, epoch, pointsSql } from '../../subgraphs/insights/engagement/stored/channels.ts'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { engagementBegun, engagementK } from '../../subgraphs/insights/engagement/stored/engagement.jobs.ts'
import {
  objectNames,
  scoredObjects,
  type ScoredObject,
} from '../../subgraphs/insights/engagement/stored/scored-objects.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

async function consume(consumer: EventConsumer = engagementConsumer): Promise<void> {
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, consumer, member.organizationId));
}

const later = (minutes: number): void => {
  platform.now = new Date(platform.now.getTime() + minutes * 60_000)
}

type Sums = Readonly<Record<string, number>>

const stored = async (object: ScoredObject, id: string) => {
  const [row] = await platform.query<Sums & { rebuilt_at: string; next_at: string | null }>(
    'select * from insights.engagement where organization_id = $1 and object = $2 and record_id = $3',
    [member.organizationId, object, id],
  )
  return row
}

interface Fact {
  readonly type: string
  readonly occurred_at: string
  readonly [column: string]: unknown
}

/** The sums of all records, from all activities, by the formula. */
async function recomputed(): Promise<Map<string, Record<string, number>>> {
  const rows = await platform.query<Fact>(
    'select * from crm.activity where organization_id = $1 and deleted_at is null and occurred_at <= $2',
    [member.organizationId, platform.now.toISOString()],
  )
  const sums = new Map<string, Record<string, number>>()
  for (const row of rows) {
    const { type, direction, outcome, sentiment } = row as unknown as Parameters<typeof pointsOf>[0]
    const points = pointsOf({ type, direction, outcome, sentiment, isAutomated: row['is_automated'] as boolean })
    for (const object of objectNames) {
      const { link, halfLifeDays } = scoredObjects[object]
      const id = row[link]
      if (typeof id !== 'string') continue
      const known = sums.get(`${object} ${id}`) ?? {}
      sums.set(`${object} ${id}`, known)
      const days = (new Date(row.occurred_at).getTime() - Date.parse(epoch)) / dayMs
      known[type] = (known[type] ?? 0) + points * Math.exp((days * Math.LN2) / halfLifeDays)
    }
  }
  return sums
}

async function expectExact(): Promise<number> {
  const expected = await recomputed()
  const rows = await platform.query<Sums & { object: string; record_id: string }>(
    'select * from insights.engagement where organization_id = $1',
    [member.organizationId],
  )
  for (const row of rows) {
    const sums = expected.get(`${row.object} ${row.record_id}`) ?? {}
    for (const channel of channels)
      expect(row[columnOf(channel)]! / (sums[channel] || 1)).toBeCloseTo(sums[channel] ? 1 : 0, 9)
    const total = Object.values(sums).reduce((sum, value) => sum + value, 0)
    expect(row['total']! / (total || 1)).toBeCloseTo(total ? 1 : 0, 9)
  }
  // Every record with points has a row.
  const known = new Set(rows.map(({ object, record_id: id }) => `${object} ${id}`))
  for (const [record, sums] of expected) if (Object.values(sums).some((sum) => sum > 0)) expect(known).toContain(record)
  return rows.length
}

/** Numbers from 0 to 1 that are the same in every run. */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

describe('the points of an activity', () => {
  it('are the same in SQL', async () => {
    const of = <T>(...values: T[]) => values
    const facts = Object.keys(defaultWeights).flatMap((type) =>
      of(null, 'INBOUND', 'OUTBOUND').flatMap((direction) =>
        of(null, 'REPLIED', 'CONNECTED', 'COMPLETED', 'NO_SHOW', 'VOICEMAIL').flatMap((outcome) =>
          of(null, ...Object.keys(qualities)).flatMap((sentiment) =>
            of(true, false).map((isAutomated) => ({ type, direction, outcome, sentiment, isAutomated })),
          ),
        ),
      ),
    )
    const rows = await platform.query<{ points: number }>(
      `select ${pointsSql} as points from jsonb_to_recordset($1)
         as a (place int, type text, direction text, outcome text, sentiment text, is_automated boolean) order by place`,
      [JSON.stringify(facts.map((fact, place) => ({ ...fact, place, is_automated: fact.isAutomated })))],
    )
    const inMillionths = (points: number): number => Math.round(points * 1e6)
    expect(rows.map(({ points }) => inMillionths(points))).toEqual(facts.map((fact) => inMillionths(pointsOf(fact))))
  })
})

describe('stored engagement', () => {
  it('always equals the recomputation from all activities', async () => {
    const next = numbersOf(20_261_128)
    const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!
    const accounts = await each([1, 2, 3], () => account(member))
    const contacts = await each(accounts, ({ id }) => contact(member, { accountId: id }))
    const leads = await each([1, 2], () => lead(member))
    const live: string[] = []
    const deleted: string[] = []
    for (let step = 0; step < 120; step++) {
      const choice = next()
      if (choice < 0.6 || live.length === 0) {
        const type = pick(channels)
        const planned = type === 'MEETING' && next() < 0.3
        const minutes = planned ? next() * 3_000 : -next() * 90 * 1440
        const { id } = await activity(member, {
          type,
          direction: pick(['INBOUND', 'OUTBOUND']),
          outcome: pick(['CONNECTED', 'REPLIED', 'COMPLETED', null]),
          sentiment: pick(['POSITIVE', 'NEGATIVE', null]),
          isAutomated: next() < 0.1,
          occurredAt: new Date(platform.now.getTime() + minutes * 60_000).toISOString(),
          ...(next() < 0.3 ? { leadId: pick(leads).id } : { contactId: pick(contacts).id }),
        })
        live.push(id as string)
      } else if (choice < 0.75) {
        const { status } = await member.rest.activityUpdate!({ id: pick(live), body: { accountId: pick(accounts).id } })
        expect(status).toBe(200)
      } else if (choice < 0.9) {
        const [id] = live.splice(Math.floor(next() * live.length), 1)
        await member.rest.activityDelete!({ id: id! })
        deleted.push(id!)
      } else if (deleted.length > 0) {
        const [id] = deleted.splice(0, 1)
        await member.rest.activityRestore!({ id: id! })
        live.push(id!)
      }
      later(pick([0, 1, 7, 30, 600]))
      // One by one, or many together.
      if (next() < 0.3) await consume({ ...engagementConsumer, batch: pick([1, 3, 100]) })
      if (next() < 0.1) {
        await consume()
        await engagementBegun.run(platform.services)
        await expectExact()
      }
    }
    await consume()
    await engagementBegun.run(platform.services)
    expect(await expectExact()).toBe(8)
  })

  it('is one addition for a new activity', async () => {
    const { id: accountId } = await account(member)
    await activity(member, { type: 'MEETING', accountId })
    await consume()
    const first = await stored('account', accountId as string)
    later(10)
    await each([1, 2], () => activity(member, { type: 'FORM_SUBMISSION', accountId }))
    await consume()
    const second = await stored('account', accountId as string)
    expect(second!.rebuilt_at).toEqual(first!.rebuilt_at)
    expect(second!['form_submission']! / first!['meeting']!).toBeCloseTo(1.6 * 2 ** (10 / 1440 / 30), 9)
    await expectExact()
  })

  it('is not lost or doubled when a worker ends before its transaction', async () => {
    const { id: accountId } = await account(member)
    await activity(member, { type: 'MEETING', accountId })
    await consume()
    later(10)
    await each([1, 2, 3], () => activity(member, { type: 'CALL', outcome: 'CONNECTED', accountId }))
    await platform.query('select kernel.assign_event_positions(100000)')
    const killed: EventConsumer = {
      ...engagementConsumer,
      async consume(services, sql, batch) {
        await engagementConsumer.consume(services, sql, batch)
        await sql.query('select pg_terminate_backend(pg_backend_pid())')
      },
    }
    const before = await stored('account', accountId as string)
    await consumeNext(platform.services, killed, member.organizationId).catch(() => undefined)
    expect(await stored('account', accountId as string)).toEqual(before)
    await consume()
    const after = await stored('account', accountId as string)
    expect(after!['call']).toBeGreaterThan(0)
    await expectExact()
  })

  it('counts a planned meeting when it has begun', async () => {
    const { id: accountId } = await account(member)
    const occurredAt = new Date(platform.now.getTime() + 2 * dayMs).toISOString()
    await activity(member, { type: 'MEETING', accountId, occurredAt })
    await consume()
    expect(await stored('account', accountId as string)).toMatchObject({ total: 0 })
    await engagementBegun.run(platform.services)
    expect(await stored('account', accountId as string)).toMatchObject({ total: 0 })
    later(2 * 1440)
    await engagementBegun.run(platform.services)
    const begun = await stored('account', accountId as string)
    expect(begun!.next_at).toBeNull()
    expect(begun!['total']).toBeGreaterThan(0)
    await expectExact()
  })
})

const ofAccount = async (caller: Member, id: string) =>
  (
    await caller.graphql(
      `query ($id: ID!) { account(id: $id) { engagement { score k momentumScore computedAt
        channels { channel activities contribution } momentum { trend silenceDays } } } }`,
      { id },
    )
  ).body.data?.account?.engagement

describe('Account.engagement', () => {
  it('has the score of F1, with the contribution of each channel', async () => {
    const { id } = await account(member)
    const occurredAt = new Date(platform.now.getTime() - 30 * dayMs).toISOString()
    await each([platform.now.toISOString(), occurredAt], (at) =>
      activity(member, { type: 'MEETING', accountId: id, occurredAt: at }),
    )
    await activity(member, { type: 'CALL', outcome: 'CONNECTED', accountId: id })
    await consume()
    // Meetings 10 + 5, calls 6: meetings count 40 % of 21. S = 8.4 + 6.
    expect(await ofAccount(member, id as string)).toEqual({
      score: 43.79,
      k: 25,
      momentumScore: 100,
      computedAt: platform.now.toISOString(),
      channels: [
        { channel: 'CALL', activities: 1, contribution: 18.25 },
        { channel: 'MEETING', activities: 2, contribution: 25.54 },
      ],
      momentum: { trend: 'ACCELERATING', silenceDays: 0 },
    })
    const { id: quiet } = await account(member)
    expect(await ofAccount(member, quiet as string)).toMatchObject({ score: 0, channels: [], momentumScore: 50 })
  })

  it('is null where the profile hides what it is made of, or the record is out of sight', async () => {
    const { id } = await account(member)
    await activity(member, { type: 'MEETING', accountId: id })
    await consume()
    const other = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const profile = await createProfile(ctx, {
      name: 'No outcomes',
      fields: { activity: { outcome: 'HIDDEN' } } as never,
    })
    await assignProfile(ctx, other.userId, profile.id)
    expect(await ofAccount(other, id as string)).toBeNull()
    const narrow = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    const own = await supportCase(member, { accountId: id, ownerId: narrow.userId })
    const answer = await narrow.graphql(
      'query ($id: ID!) { case(id: $id) { id account { id engagement { score } } } }',
      { id: own.id },
    )
    expect(answer.body.data.case).toEqual({ id: own.id, account: null })
  })
})

describe('engagement.k', () => {
  it('is 25 below thirty records, then such that the 75th percentile scores 75', async () => {
    await engagementK.run(platform.services)
    const k = async () =>
      (
        await platform.query<{ k: number }>(
          `select k from insights.engagement_k where organization_id = $1 and object = 'lead'`,
          [member.organizationId],
        )
      )[0]?.k
    const before = await k()
    expect(before).toBe(25)
    const leads = await each(Array.from({ length: 30 }), () => lead(member))
    await each([...leads.entries()], ([index, { id: leadId }]) =>
      each(Array.from({ length: 1 + (index % 10) }), () => activity(member, { type: 'WEB_VISIT', leadId })),
    )
    await consume()
    await engagementK.run(platform.services)
    const sums = [...(await recomputed())]
      .filter(([record]) => record.startsWith('lead '))
      .map(([, channel]) => {
        const total = Object.values(channel).reduce((sum, value) => sum + value, 0)
        return Object.values(channel).reduce((sum, value) => sum + Math.min(value, 0.4 * total), 0)
      })
      .filter((sum) => sum > 0)
      .toSorted((a, b) => a - b)
    const decay = 2 ** (-(platform.now.getTime() - Date.parse(epoch)) / dayMs / 14)
    expect(await k()).toBeCloseTo((sums[Math.ceil(0.75 * sums.length) - 1]! * decay) / Math.log(4), 9)
  })
})

it('an activity of any time is counted, and stops no job', async () => {
  const owner = await platform.member()
  const [{ id: accountId }, { id: leadId }] = [await account(owner), await lead(owner)]
  for (const occurredAt of [
    '0001-01-01T00:00:00Z',
    '1938-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1985-06-01T00:00:00Z',
  ])
    for (const link of [{ accountId }, { leadId }]) await activity(owner, { type: 'MEETING', occurredAt, ...link })
  await consume()
  await engagementBegun.run(platform.services)
  await engagementK.run(platform.services)
  const { body } = await owner.graphql(
    `query ($account: ID!, $lead: ID!) { lead(id: $lead) { engagement { score channels { contribution } } }
       account(id: $account) { engagement { score channels { contribution } } } }`,
    { account: accountId, lead: leadId },
  )
  expect([body.data?.lead?.engagement.score, body.data?.account?.engagement.score, body.errors]).toEqual([
    0,
    0,
    undefined,
  ])
  const rows = await platform.query(
    'select 1 from insights.engagement where organization_id = $1 and record_id = any($2::uuid[]) and total > 0',
    [owner.organizationId, [accountId, leadId]],
  )
  expect(rows).toHaveLength(2)
})

it('the engagement of a record is the same under two aliases', async () => {
  const owner = await platform.member()
  const { id } = await account(owner)
  await each([1, 2, 3], () => activity(owner, { type: 'MEETING', accountId: id }))
  await consume()
  const fields = '{ score momentumScore channels { activities } momentum { velocity } }'
  const { body } = await owner.graphql(
    `query ($id: ID!) { one: account(id: $id) { engagement ${fields} } two: account(id: $id) { a: engagement ${fields} b: engagement ${fields} } }`,
    { id },
  )
  const { one, two } = body.data!
  expect([two.a, two.b]).toEqual([one.engagement, one.engagement])
  expect(one.engagement.channels).toEqual([{ activities: 3 }])
})
