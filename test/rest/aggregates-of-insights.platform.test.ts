import { beforeAll, describe, expect, it } from 'vitest'
import { triageScan } from '../../subgraphs/insights/triage/scan.job.ts'
import { account, contact, sentInvoice, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
let owner: Member
let one: Member
let two: Member

beforeAll(async () => {
  const organizationId = await platform.organization('Figures')
  await platform.query(
    `update identity.organization set settings = settings || '{"baseCurrency": "USD"}' where id = $1`,
    [organizationId],
  )
  owner = await platform.member({ organizationId, role: 'OWNER' })
  one = await platform.member({ organizationId, visibility: 'OWN' })
  two = await platform.member({ organizationId })
  const elsewhere = await platform.member({ organizationId: await platform.organization('Elsewhere'), role: 'OWNER' })
  await elsewhere.rest.forecastSubmit!({ body: { period: '2027-Q1', commit: 999 } })
  await elsewhere.rest.quotaSet!({ body: { userId: elsewhere.userId, period: '2027-Q1', target: 999 } })
  await setRate('2026-01-01', 1.5)
})

/** The value of a euro in the base currency from a day on. */
async function setRate(date: string, rate: number): Promise<void> {
  const session = restClient(platform.contract, platform.url, {
    Authorization: `Bearer ${await sessionOf(platform, owner)}`,
  })
  expect((await session.exchangeRateSet!({ body: { currency: 'EUR', date, rate } })).status).toBe(201)
}

/** The groups as `keys count sums`. */
function brief({ status, body }: Answer): string[] {
  expect(status, JSON.stringify(body)).toBe(200)
  type Group = { keys: { value: string | null }[]; count: number; sum: { value: number | null }[] }
  return (body.groups as Group[]).map(({ keys, count, sum }) =>
    [...keys.map(({ value }) => value), count, ...sum.map(({ value }) => value)].join(' '),
  )
}

describe('forecastAggregate', () => {
  it('adds up at the rates of today, as the rollup does', async () => {
    for (const [member, body] of [
      [one, { commit: 100, bestCase: 10, currency: 'EUR' }],
      [two, { commit: 50 }],
    ] as const)
      expect((await member.rest.forecastSubmit!({ body: { period: '2027-Q1', ...body } })).status).toBe(201)
    const figures = async () => {
      const query = { period: '2027-Q1', sum: 'commit,bestCase' }
      const { body } = await owner.rest.forecastAggregate!({ query })
      const [commit, bestCase] = body.total.sum as [{ value: number }, { value: number }]
      const rollup = await owner.rest.forecastRollup!({ query: { period: '2027-Q1' } })
      return [body.total.count, { commit: commit.value, bestCase: bestCase.value }, rollup.body.submitted] as const
    }
    expect(await figures()).toEqual([2, { commit: 200, bestCase: 15 }, { commit: 200, bestCase: 15, pipeline: 0 }])
    // After both were submitted.
    await setRate('2027-02-03', 2)
    platform.advanceClock(5 * 86_400_000)
    expect(await figures()).toEqual([2, { commit: 250, bestCase: 20 }, { commit: 250, bestCase: 20, pipeline: 0 }])
  })

  it('counts every revision, and those that the caller sees only', async () => {
    await two.rest.forecastSubmit!({ body: { period: '2027-Q2', commit: 7 } })
    await two.rest.forecastSubmit!({ body: { period: '2027-Q2', commit: 8 } })
    const figures = (member: Member, query: object = {}) =>
      member.rest.forecastAggregate!({ query: { groupBy: 'period', sum: 'commit', sortBy: 'key', ...query } })
    expect(brief(await figures(owner))).toEqual(['2027-Q1 2 250', '2027-Q2 2 15'])
    expect(brief(await figures(owner, { revision: 2 }))).toEqual(['2027-Q2 1 8'])
    expect(brief(await figures(one))).toEqual(['2027-Q1 1 200'])
  })
})

describe('quotaAggregate', () => {
  it('adds up the targets that the caller sees, at the rates of today', async () => {
    for (const body of [
      { userId: one.userId, period: '2027-Q1', target: 300, currency: 'EUR' },
      { userId: two.userId, period: '2027-Q1', target: 400 },
      { userId: two.userId, period: '2027-02', target: 150 },
    ])
      expect((await owner.rest.quotaSet!({ body })).status).toBeLessThan(300)
    const figures = (member: Member, query: object) =>
      member.rest.quotaAggregate!({ query: { groupBy: 'periodType', sum: 'target', sortBy: 'key', ...query } })
    expect(brief(await figures(owner, {}))).toEqual(['MONTH 1 150', 'QUARTER 2 1000'])
    expect(brief(await figures(owner, { userId: two.userId }))).toEqual(['MONTH 1 150', 'QUARTER 1 400'])
    expect(brief(await figures(one, {}))).toEqual(['QUARTER 1 600'])
  })
})

describe('triageCaseAggregate', () => {
  it('adds up the revenue at risk of the cases whose accounts the caller sees', async () => {
    for (const member of [one, two]) {
      const { id } = await account(member, { type: 'CUSTOMER' })
      for (let row = 0; row < 3; row++) await supportCase(member, { accountId: id, priority: 'URGENT' })
      await contact(member, { accountId: id, buyingRole: 'CHAMPION', status: 'INACTIVE' })
      await sentInvoice(member, { customerId: id })
    }
    expect((await owner.rest.triageScanRequest!({})).status).toBe(202)
    await triageScan.run(platform.services)
    const figures = (member: Member, query: object = {}) =>
      member.rest.triageCaseAggregate!({ query: { groupBy: 'status,severity', sum: 'revenueAtRisk', ...query } })
    expect(brief(await figures(owner))).toEqual(['OPEN MEDIUM 2 136.7'])
    expect(brief(await figures(one))).toEqual(['OPEN MEDIUM 1 68.35'])
    const { body } = await owner.rest.triageStats!({ query: { status: 'OPEN,IN_PROGRESS', severity: 'MEDIUM' } })
    expect(body.total).toBe(2)
    expect((await owner.rest.triageStats!({ query: { updatedAfter: platform.now.toISOString() } })).body.total).toBe(0)
    expect(brief(await figures(owner, { severity: 'HIGH,CRITICAL' }))).toEqual([])
  })
})
