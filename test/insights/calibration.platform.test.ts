import { beforeAll, describe, expect, it } from 'vitest'
import { chosenBayes, winCalibration } from '../../subgraphs/insights/win-rate/calibration.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, opportunity } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { hide } from './scenario.fixture.ts'
import { copyOf, type Stateful } from '../rest/stateful-records.ts'

const platform = usePlatform()
let member: Member
let other: Member

/** A deal that was in NEGOTIATION and then closed. */
async function closed(stage: string, type: string): Promise<string> {
  const { id: accountId } = await account(member)
  const { id } = await opportunity(member, { accountId, stage: 'NEGOTIATION', amount: 100, type })
  await member.rest.opportunityUpdate!({ id, body: { stage } })
  return id
}

/** Copies of a closed deal, one for each minute from the beginning of the month on. */
async function copies(id: string, count: number, offset: number): Promise<void> {
  const deal = { table: 'crm.opportunity' } as Stateful
  for (let index = 0; index < count; index++)
    await copyOf(platform, deal, id, { closed_at: new Date(Date.UTC(2027, 0, 1, 0, 2 * index + offset)).toISOString() })
}

const calibration = async (who = member) => (await who.rest.dealCalibration!()).body
const run = () => winCalibration.run(platform.services)

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Calibrated') })
  other = await platform.member({ organizationId: await platform.organization('Empty') })
})

describe('dealCalibration', () => {
  it('is not computed before the first deals are closed', async () => {
    await run()
    expect(await calibration()).toMatchObject({
      computedAt: null,
      model: 'STAGE_HISTORY',
      reason: 'TOO_FEW_CASES',
      closedDeals: 0,
      models: [],
      history: [],
    })
  })

  it('has the test of the month, which is made once', async () => {
    await copies(await closed('CLOSED_WON', 'RENEWAL'), 59, 0)
    await copies(await closed('CLOSED_LOST', 'OTHER'), 59, 1)
    await run()
    const first = await calibration()
    expect(first).toMatchObject({
      computedAt: platform.now.toISOString(),
      model: 'STAGE_HISTORY',
      reason: 'TOO_FEW_FOR_NAIVE_BAYES',
      closedDeals: 120,
      wonDeals: 60,
      trainingDeals: 20,
      testedDeals: 100,
      difference: null,
      history: [],
    })
    // (10 + 20 · 0.8) / 40 for each of them.
    expect(first.models).toMatchObject([{ model: 'STAGE_HISTORY', brierScore: 0.2725 }])
    expect(first.models[0].bins[6]).toEqual({
      from: 0.6,
      to: 0.7,
      predictions: 100,
      meanPredicted: 0.65,
      shareWon: 0.5,
    })
    platform.advanceClock(60_000)
    await run()
    expect(await calibration()).toEqual(first)
    expect((await calibration(other)).closedDeals).toBe(0)
  })

  it('has earlier months, and chooses naive Bayes where it is better', async () => {
    const before = await calibration()
    const [won, lost] = [await closed('CLOSED_WON', 'RENEWAL'), await closed('CLOSED_LOST', 'OTHER')]
    await copies(won, 149, 200)
    await copies(lost, 149, 201)
    platform.advanceClock(28 * 86_400_000)
    await run()
    const body = await calibration()
    expect(body).toMatchObject({
      model: 'NAIVE_BAYES',
      reason: 'NAIVE_BAYES_BETTER',
      closedDeals: 420,
      testedDeals: 140,
    })
    expect(body.models.map(({ model }: { model: string }) => model)).toEqual(['STAGE_HISTORY', 'NAIVE_BAYES'])
    expect(body.models[1].brierScore).toBeLessThan(0.001)
    expect(body.history).toEqual([
      { computedAt: before.computedAt, model: 'STAGE_HISTORY', testedDeals: 100, brierScore: 0.2725 },
    ])
    const ctx = (organizationId: string) => systemContext(platform.services, organizationId)
    expect((await chosenBayes(ctx(member.organizationId)))!.total).toEqual([210, 210])
    expect(await chosenBayes(ctx(other.organizationId))).toBeNull()
  })

  it('decides the win probability of a deal', async () => {
    const { id: accountId } = await account(member)
    const probabilityOf = async (who: Member, type: string) => {
      const { id } = await opportunity(member, { accountId, stage: 'NEGOTIATION', amount: 100, type })
      const { winProbability, winProbabilitySource } = (await who.rest.dealScore!({ dealId: id })).body
      return [winProbabilitySource, winProbability]
    }
    // 210 won deals were renewals, and none of the lost ones.
    expect(await probabilityOf(member, 'RENEWAL')).toEqual(['NAIVE_BAYES', 0.9995])
    expect(await probabilityOf(member, 'OTHER')).toEqual(['NAIVE_BAYES', 0.0005])
    // Somebody who must not know the type gets what the other facts say.
    const blind = await platform.member({ organizationId: member.organizationId })
    await hide(platform, blind, { opportunity: { type: 'HIDDEN' } })
    expect(await probabilityOf(blind, 'RENEWAL')).toEqual(['NAIVE_BAYES', 0.5])
  })
})
