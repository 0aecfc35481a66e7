import { describe, expect, it } from 'vitest'
import { opportunity } from '../../../test/builders.ts'
import { refusedInputs } from '../../../test/expectations.ts'
import { usePlatform, type Member, type MemberOptions } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'
import { forecastSnapshot } from './snapshot.job.ts'

const platform = usePlatform()

async function organization(settings: object = {}) {
  const organizationId = await platform.organization('Snapshots')
  await platform.query('update identity.organization set settings = $2 where id = $1', [organizationId, settings])
  const member = (options: MemberOptions = {}) => platform.member({ organizationId, ...options })
  return { organizationId, member, admin: await member({ role: 'ADMIN' }) }
}

async function at<T>(time: string, work: () => Promise<T>): Promise<T> {
  const before = platform.now
  platform.now = new Date(time)
  try {
    return await work()
  } finally {
    platform.now = before
  }
}

type Snapshot = Record<string, unknown> & { readonly totals: Record<string, unknown> | null }

const snapshots = async (member: Member, query: Record<string, string | number> = {}) => {
  const { status, body } = await member.rest.forecastSnapshotList!({ query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Snapshot[]
}
const run = (time: string) => at(time, () => forecastSnapshot.run(platform.services))

describe('snapshots', () => {
  it('are taken once a day at the midnight of the organization, and at the end of a period', async () => {
    const { admin, member } = await organization({ timezone: 'America/New_York' })
    const [one, two, idle] = [await member({ visibility: 'OWN' }), await member(), await member()]
    await opportunity(one, { stage: 'CLOSED_WON', amount: 30 })
    const deal = await opportunity(one, { amount: 100, forecastCategory: 'COMMIT', probability: 50 })
    // The first moment of the next quarter.
    await opportunity(one, { amount: 7, forecastCategory: 'COMMIT', closeDate: '2027-04-01T04:00:00.000Z' })
    await admin.rest.quotaSet!({ body: { userId: two.userId, period: '2027-03', target: 1 } })
    await run('2027-03-31T12:00:00.000Z')
    await run('2027-04-01T03:59:00.000Z')
    const first = await snapshots(admin, { source: 'DAILY' })
    expect(first.map(({ userId, period }) => `${String(userId)} ${String(period)}`).toSorted()).toEqual(
      [
        ...['2027', '2027-03', '2027-Q1'].map((period) => `${one.userId} ${period}`),
        `${two.userId} 2027-03`,
      ].toSorted(),
    )
    expect(first.find(({ period }) => period === '2027-Q1')).toMatchObject({
      takenAt: '2027-03-31T12:00:00.000Z',
      totals: { closed: 30, commit: 100, bestCase: 0, pipeline: 0, weighted: 50 },
      currency: 'USD',
      opportunities: 2,
    })
    // Midnight in New York in summer is 4:00 UTC. The deal is another user's then, which changes no former snapshot.
    await admin.rest.opportunityUpdate!({ id: deal.id as string, body: { ownerId: two.userId } })
    // Also by two workers at once.
    await at('2027-04-01T04:00:00.000Z', () =>
      Promise.all([forecastSnapshot.run(platform.services), forecastSnapshot.run(platform.services)]),
    )
    await run('2027-04-01T04:15:00.000Z')
    const taken = await platform.query<{ count: number }>(
      `select count(*)::int as count from insights.forecast_snapshot
       where organization_id = $1 group by user_id, period, source order by 1 desc limit 1`,
      [admin.organizationId],
    )
    // The year is the only period with a second day.
    expect(taken).toEqual([{ count: 2 }])
    const closed = await snapshots(admin, { source: 'PERIOD_CLOSE', period: '2027-Q1' })
    expect(new Map(closed.map(({ userId, totals }) => [userId, totals!['commit']]))).toEqual(
      new Map<unknown, unknown>([
        [one.userId, 0],
        [two.userId, 100],
      ]),
    )
    expect(await snapshots(admin, { source: 'DAILY', period: '2027-Q1' })).toEqual([
      first.find(({ period }) => period === '2027-Q1'),
    ])
    expect((await snapshots(admin, { periodType: 'YEAR', source: 'DAILY' })).length).toBe(3)
    expect(await snapshots(admin, { userId: idle.userId })).toEqual([])
    expect(new Set((await snapshots(one)).map(({ userId }) => userId))).toEqual(new Set([one.userId]))
    expect(await snapshots(admin, { source: 'MANUAL' })).toEqual([])
  })

  it('are taken with a submission, with another hash after a change of a deal only', async () => {
    const { member } = await organization()
    const one = await member()
    const deal = await opportunity(one, { amount: 100, forecastCategory: 'COMMIT', probability: 50 })
    const submit = () => one.rest.forecastSubmit!({ body: { period: '2027-Q1' } })
    await submit()
    await submit()
    await one.rest.opportunityUpdate!({ id: deal.id as string, body: { amount: 101 } })
    await submit()
    const hashes = (await snapshots(one, { source: 'SUBMISSION' })).map(({ dealLinesHash }) => dealLinesHash)
    expect([hashes.length, hashes[1] === hashes[2], hashes[0] === hashes[1]]).toEqual([3, true, false])
    const profileId = newId()
    await platform.query(
      `insert into identity.profile (organization_id, id, name, fields, created_at, updated_at) values ($1, $2, 'Blind', $3, now(), now())`,
      [one.organizationId, profileId, { opportunity: { closedAt: 'HIDDEN' } }],
    )
    const blind = await member()
    await platform.query('update identity.app_user set profile_id = $2 where id = $1', [blind.userId, profileId])
    const nothing = { totals: null, opportunities: null, dealLinesHash: null }
    expect(await snapshots(blind)).toMatchObject([nothing, nothing, nothing])
  })

  it('are refused for a period of another type', async () => {
    const { admin } = await organization()
    const call = () => admin.rest.forecastSnapshotList!({ query: { period: '2027-Q1', periodType: 'MONTH' } })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'period WRONG_FORMAT'])
  })
})

describe('the accuracy of forecasts', () => {
  const accuracy = async (member: Member, query: Record<string, string> = {}) => {
    const { status, body } = await member.rest.forecastAccuracy!({ query })
    expect(status, JSON.stringify(body)).toBe(200)
    return body as unknown as Record<string, unknown>[]
  }

  it('compares the last forecast before the end of each of six periods with what was won', async () => {
    const { admin, member } = await organization()
    const one = await member()
    const submit = (period: string, commit: number) => one.rest.forecastSubmit!({ body: { period, commit } })
    await at('2027-02-10T09:00:00.000Z', () => submit('2027-02', 100))
    await at('2027-02-20T09:00:00.000Z', async () => {
      await submit('2027-02', 90)
      await opportunity(one, { stage: 'CLOSED_WON', amount: 120 })
    })
    await at('2027-03-05T09:00:00.000Z', async () => {
      // Too late to count.
      await submit('2027-02', 120)
      await submit('2027-03', 50)
    })
    const [found] = await at('2027-04-02T09:00:00.000Z', () => accuracy(admin, { periodType: 'MONTH' }))
    expect(found).toEqual({
      userId: one.userId,
      currency: 'USD',
      accuracy: 0.75,
      bias: 10,
      periods: [
        { period: '2027-03', forecast: 50, actual: 0, error: 50, accuracy: null },
        { period: '2027-02', forecast: 90, actual: 120, error: -30, accuracy: 0.75 },
      ],
    })
    expect(await at('2027-04-02T09:00:00.000Z', () => accuracy(admin))).toEqual([])
    expect(await at('2027-04-02T09:00:00.000Z', () => accuracy(admin, { userId: admin.userId }))).toEqual([])
    const call = () => admin.rest.forecastAccuracy!({ query: { userId: 'me' } })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'userId WRONG_FORMAT'])
  })

  it('says nothing about a forecast over somebody out of sight', async () => {
    const { member } = await organization()
    const [manager, rep] = [await member({ role: 'MANAGER', visibility: 'OWN' }), await member()]
    await platform.query('update identity.app_user set manager_id = $2 where id = $1', [rep.userId, manager.userId])
    await at('2027-02-10T09:00:00.000Z', () =>
      manager.rest.forecastSubmit!({ body: { period: '2027-02', commit: 100 } }),
    )
    const nothing = { forecast: null, actual: null, error: null, accuracy: null }
    expect(await at('2027-04-02T09:00:00.000Z', () => accuracy(manager, { periodType: 'MONTH' }))).toMatchObject([
      { userId: manager.userId, accuracy: null, bias: null, periods: [{ period: '2027-02', ...nothing }] },
    ])
  })
})
