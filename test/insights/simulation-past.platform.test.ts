import { beforeAll, describe, expect, it } from 'vitest'
import { winRatesOf } from '../../subgraphs/insights/win-rate/win-rates.ts'
import { amountRatios, pastDeals, stageSlips } from '../../subgraphs/insights/simulation/model/history.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, each, opportunity } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { resultOf } from './scenario.fixture.ts'

const platform = usePlatform()
let organizationId: string
let member: Member
let mate: Member
let other: Member
let pipelineId: string
let accountId: string

const days = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** Deals that were in NEGOTIATION and then closed. */
async function closed(owner: Member, won: number, lost: number, values: object = {}) {
  const stages = [...days(won).map(() => 'CLOSED_WON'), ...days(lost).map(() => 'CLOSED_LOST')]
  return each(stages, async (stage) => {
    const { id } = await opportunity(owner, {
      accountId,
      stage: 'NEGOTIATION',
      amount: 100,
      closeDate: '2027-01-20',
      ...values,
    })
    return (await owner.rest.opportunityUpdate!({ id, body: { stage } })).body
  })
}

beforeAll(async () => {
  organizationId = await platform.organization('Past')
  ;[member, mate, other] = (await each([1, 2, 3], () => platform.member({ organizationId }))) as [
    Member,
    Member,
    Member,
  ]
  await platform.team(organizationId, [member.userId, mate.userId])
  accountId = (await account(member)).id
  const [first] = await closed(member, 15, 5)
  pipelineId = first.pipelineId
  await closed(mate, 1, 4)
  await closed(other, 0, 3)
})

describe('the win rate of a stage', () => {
  const rates = () => winRatesOf(systemContext(platform.services, organizationId))
  const of = async (owner: string | null, stage = 'NEGOTIATION') => {
    const { level, sampleSize, rate, evidence } = (await rates()).of(pipelineId, stage, owner)
    return [level, sampleSize, Number(rate.toFixed(6)), evidence]
  }

  it('is that of the owner from 20 closed deals on, otherwise of the teams, otherwise of the organization', async () => {
    // (15 + 20 · 0.8) / 40, (16 + 16) / 45 and (16 + 16) / 48.
    expect(await of(member.userId)).toEqual(['OWNER', 20, 0.775, 40])
    expect(await of(mate.userId)).toEqual(['TEAM', 25, 0.711111, 45])
    expect(await of(other.userId)).toEqual(['ORGANIZATION', 28, 0.666667, 48])
    expect(await of(null)).toEqual(['ORGANIZATION', 28, 0.666667, 48])
  })

  it('is that of the stage where no deal ever was', async () => {
    expect(await of(member.userId, 'PROSPECTING')).toEqual(['ORGANIZATION', 0, 0.1, 20])
  })

  it('does not count reopened, deleted and old deals, nor those of another organization', async () => {
    const [lost, deleted, old] = await closed(other, 0, 3)
    expect(await of(null)).toEqual(['ORGANIZATION', 31, 0.627451, 51])
    await other.rest.opportunityUpdate!({ id: lost.id, body: { stage: 'PROSPECTING' } })
    await other.rest.opportunityDelete!({ id: deleted.id })
    await platform.query(`update crm.opportunity set closed_at = '2025-07-31' where id = $1`, [old.id])
    expect(await of(null)).toEqual(['ORGANIZATION', 28, 0.666667, 48])
    await other.rest.opportunityDelete!({ id: lost.id })
    const foreign = await platform.organization('Elsewhere')
    const elsewhere = await winRatesOf(systemContext(platform.services, foreign))
    expect(elsewhere.of(pipelineId, 'NEGOTIATION', null)).toMatchObject({ sampleSize: 0, rate: 0 })
  })
})

describe('the past of deals', () => {
  const ctx = () => {
    const system = systemContext(platform.services, organizationId)
    return { ...system, db: platform.services.tenants.of(organizationId, system) }
  }

  it('gives delays by stage and ratios from 20 cases on', async () => {
    expect((await stageSlips(ctx())).size).toBe(0)
    await closed(other, 4, 0)
    const slips = await stageSlips(ctx())
    // 20 were won, twelve days after the planned day.
    expect([...slips.keys()].toSorted()).toEqual([`${pipelineId}/CLOSED_WON`, `${pipelineId}/NEGOTIATION`])
    expect(new Set(slips.get(`${pipelineId}/NEGOTIATION`))).toEqual(new Set([12]))
    expect([...(await amountRatios(ctx()))]).toEqual([1])
  })

  it('gives new deals when it is long enough', async () => {
    expect(await pastDeals(ctx(), null, 'USD')).toMatchObject({ dealsPer30Days: null })
    await platform.query(
      `update crm.opportunity set created_at = '2026-10-01' where id in (
         select id from crm.opportunity where organization_id = $1 and owner_id = $2 limit 5)`,
      [organizationId, mate.userId],
    )
    const { dealsPer30Days, amounts, cycles } = await pastDeals(ctx(), null, 'USD')
    // 28 of 33 deals were created in the last 90 days.
    expect([dealsPer30Days, new Set(amounts), cycles.length]).toEqual([28 / 3, new Set([100]), 200])
    expect(
      (
        await pastDeals(
          ctx(),
          { ownerIds: [], teamIds: [], stages: ['PROPOSAL'], minAmount: null, accountIds: [] },
          'USD',
        )
      ).dealsPer30Days,
    ).toBeNull()
  })
})

it('a deal whose close date has passed is simulated from today', async () => {
  const { id: accountId } = await account(member)
  const { id } = await opportunity(member, { accountId, amount: 1000, stage: 'NEGOTIATION', closeDate: '2026-11-10' })
  const certain = { target: 'WIN_RATE', operation: 'SET', value: 1 }
  const noNew = { target: 'NEW_PIPELINE', operation: 'SET', value: 0 }
  const filters = { ownerIds: [], teamIds: [], stages: [], minAmount: null, accountIds: [accountId] }
  const wanted = { horizonStart: '2026-11-01', horizonEnd: '2028-12-31', adjustments: [certain, noNew], filters }
  const { dealContributions, byMonth } = await resultOf(platform, member, wanted)
  expect(dealContributions).toMatchObject([{ opportunityId: id, meanContribution: 1000 }])
  const months = byMonth as { month: string; mean: number }[]
  const before = months.filter(({ month }) => month < platform.now.toISOString().slice(0, 7))
  expect(before.map(({ month, mean }) => [month, mean])).toEqual([
    ['2026-11', 0],
    ['2026-12', 0],
    ['2027-01', 0],
  ])
  expect(months.reduce((sum, { mean }) => sum + mean, 0)).toBeCloseTo(1000, 0)
  await member.rest.opportunityDelete!({ id })
})

describe('a simulation of deals in several currencies', () => {
  it('counts those without a rate, and what was won in the horizon by the day of closing', async () => {
    await opportunity(member, {
      accountId,
      amount: 1000,
      currency: 'EUR',
      stage: 'NEGOTIATION',
      closeDate: '2027-02-10',
    })
    await opportunity(member, {
      accountId,
      amount: 1000,
      currency: 'NOK',
      stage: 'NEGOTIATION',
      closeDate: '2027-02-10',
    })
    await platform.query(
      `insert into identity.exchange_rate (organization_id, id, base_currency, currency, date, rate, created_at, updated_at)
       values ($1, gen_random_uuid(), 'USD', 'EUR', '2027-01-01', 1.5, now(), now())`,
      [organizationId],
    )
    const certain = { target: 'WIN_RATE', operation: 'SET', value: 1 }
    const noNew = { target: 'NEW_PIPELINE', operation: 'SET', value: 0 }
    const wanted = { horizonStart: '2027-01-01', horizonEnd: '2027-12-31', adjustments: [certain, noNew] }
    const { mean, closedWon, deals, unconverted, byMonth } = await resultOf(platform, member, wanted)
    // 20 deals of 100 were won on the first of February.
    expect([mean, closedWon, deals, unconverted]).toEqual([3500, 2000, 1, 1])
    expect(byMonth.slice(0, 3)).toMatchObject([{ month: '2027-01', mean: 0 }, { mean: 3500, p10: 3500 }, { mean: 0 }])
    const later = await resultOf(platform, member, { ...wanted, horizonStart: '2027-02-02' })
    expect([later.mean, later.closedWon]).toEqual([1500, 0])
    const large = { ownerIds: [], teamIds: [], stages: [], minAmount: 1600, accountIds: [] }
    expect(await resultOf(platform, member, { ...wanted, filters: large })).toMatchObject({
      deals: 0,
      mean: 0,
      unconverted: 1,
    })
  })
})
