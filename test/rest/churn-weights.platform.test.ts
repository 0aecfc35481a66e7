import { beforeAll, describe, expect, it } from 'vitest'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { riskWeights, weightNames } from '../../subgraphs/insights/triage/churn-risk.ts'
import { churnWeightsJob } from '../../subgraphs/insights/triage/churn-weights/churn-weights.job.ts'
import { refit, type Example } from '../../subgraphs/insights/triage/churn-weights/fit-weights.ts'
import { triageScan } from '../../subgraphs/insights/triage/scan.job.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { account, activity, contact, sentInvoice, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const start = ['baseRate' as const, ...weightNames].map((name) => riskWeights[name])

const member = async (name: string): Promise<Member> =>
  platform.member({ organizationId: await platform.organization(name), role: 'OWNER' })

async function scan({ organizationId, rest }: Member): Promise<void> {
  await platform.query('delete from insights.triage_scan where organization_id = $1', [organizationId])
  expect((await rest.triageScanRequest!({})).status).toBe(202)
  await triageScan.run(platform.services)
}

/** A third of the accounts is silent for 90 days; of these, eight of ten are named to churn, of the others one. */
const insertAccounts = ({ organizationId, userId }: Member, count: number) =>
  platform.query(
    `insert into crm.account (organization_id, id, owner_id, name, account_status, custom_fields, version, created_at, updated_at)
     select $1, uuidv7(), $2, case when (i % 3 = 0 and i / 3 % 10 < 8) or (i % 3 > 0 and i / 3 % 10 = 0) then 'Leaves' else 'Stays' end, 'ACTIVE', '{}', 1,
       $4::timestamptz - case when i % 3 = 0 then interval '90 days' else '0' end, $4::timestamptz
     from generate_series(0, $3::int - 1) i`,
    [organizationId, userId, count, platform.now.toISOString()],
  )
const churn = ({ organizationId }: Member, most: number) =>
  platform.query(
    `update crm.account set account_status = 'CHURNED' where organization_id = $1 and id in (
       select id from crm.account where organization_id = $1 and name = 'Leaves' and account_status = 'ACTIVE' and type is null order by id limit $2)`,
    [organizationId, most],
  )

describe('the weights of the risk', () => {
  let owner: Member
  let small: Member
  /** The weights before and after the job ran once more in the same month. */
  const repeated: [unknown, unknown][] = []
  const weightsOf = async ({ organizationId }: Member) =>
    platform.query<{ month: string; test: { decision: string; churned: number }; weights: object | null }>(
      'select month::text as month, test, weights from insights.churn_weights where organization_id = $1 order by month',
      [organizationId],
    )
  const config = async (who: Member) => (await who.rest.triageConfig!({})).body

  beforeAll(async () => {
    owner = await member('Large')
    small = await member('Small')
    for (const who of [owner, small])
      await who.rest.triageConfigUpdate!({ body: { excludedAccountTypes: ['COMPETITOR'] } })
    for (const day of ['2027-02-01', '2027-05-01', '2027-08-01']) {
      platform.now = new Date(`${day}T09:00:00.000Z`)
      // The accounts of the cohort before are looked at no longer.
      await platform.query(`update crm.account set type = 'COMPETITOR' where organization_id = any($1)`, [
        [owner.organizationId, small.organizationId],
      ])
      for (const who of [owner, small]) await insertAccounts(who, 300)
      await churnWeightsJob.run(platform.services)
      // A killed worker repeats the month, which changes nothing.
      const before = await weightsOf(owner)
      await churnWeightsJob.run(platform.services)
      repeated.push([before, await weightsOf(owner)])
      await churn(owner, 300)
      await churn(small, day === '2027-02-01' ? 24 : 25)
    }
    // API keys end after 90 days.
    const { organizationId } = owner
    owner = await platform.member({ organizationId, role: 'OWNER' })
    small = await platform.member({ organizationId: small.organizationId, role: 'OWNER' })
  })

  it('are fitted to the accounts that have churned within three months, where that predicts later ones better', async () => {
    const observed = await platform.query<{ month: string; accountId: string; signals: number[]; churned: boolean }>(
      `select month::text as month, account_id as "accountId", signals, churned from insights.churn_observation
       where organization_id = $1 and month <= '2027-05-01' order by month, account_id`,
      [owner.organizationId],
    )
    expect(observed).toHaveLength(600)
    const examples: Example[] = observed.map(({ signals, ...one }) => ({ ...one, x: [1, ...signals] }))
    expect(new Set(examples.map(({ x, churned }) => `${x[1 + weightNames.indexOf('silence')]} ${churned}`))).toEqual(
      new Set(['0 false', '0 true', '3 false', '3 true']),
    )
    const expected = refit(examples, start)
    expect(expected.test).toMatchObject({ decision: 'BETTER', churned: 200, tested: 300 })
    const [first, second, third] = await weightsOf(owner)
    for (const [before, after] of repeated) expect(after).toEqual(before)
    expect([first!.test.decision, second!.test.decision]).toEqual(['TOO_FEW_CHURNED', 'TOO_FEW_TESTED'])
    expect(third).toEqual({
      month: '2027-08-01',
      test: expected.test,
      weights: Object.fromEntries(['baseRate', ...weightNames].map((name, index) => [name, expected.weights![index]])),
    })
    expect(await config(owner)).toMatchObject({
      weights: third!.weights,
      weightsSource: 'FITTED',
      modelVersion: expect.stringMatching(/^churn-[\da-f]{8}-2027-08-01$/),
    })
  })

  it('stay those of the start below 50 churned accounts', async () => {
    const months = await weightsOf(small)
    expect(months.map(({ test, weights }) => [test.decision, test.churned, weights])).toEqual([
      ['TOO_FEW_CHURNED', 0, null],
      ['TOO_FEW_CHURNED', 24, null],
      ['TOO_FEW_CHURNED', 49, null],
    ])
    expect(await config(small)).toMatchObject({
      weights: riskWeights,
      weightsSource: 'START',
      modelVersion: expect.stringMatching(/^churn-[\da-f]{8}$/),
    })
  })

  it('are those of a scan, and its cases name their version', async () => {
    await scan(owner)
    const { weights, modelVersion } = await config(owner)
    const { body } = await owner.rest.triageCaseList!({ query: { limit: 1 } })
    expect(body.data[0].modelVersion).toBe(modelVersion)
    const silence = body.data[0].signals.find(({ key }: { key: string }) => key === 'SILENCE')
    expect(silence).toMatchObject({ value: 3, weight: weights.silence })
    const z = weights.baseRate + 3 * weights.silence
    expect(body.data[0].riskScore).toBeCloseTo(100 / (1 + Math.exp(-z)), 2)
  })

  it('that the organization sets are not fitted, until it returns to the defaults', async () => {
    const fitted = await config(owner)
    const change = async (weights: object | null) => (await owner.rest.triageConfigUpdate!({ body: { weights } })).body
    // What is sent back as it was read changes nothing.
    expect(await change(fitted.weights)).toMatchObject({ weightsSource: 'FITTED', modelVersion: fitted.modelVersion })
    const own = await change({ silence: 0.75 })
    expect(own).toMatchObject({ weights: { ...fitted.weights, silence: 0.75 }, weightsSource: 'ORGANIZATION' })
    expect(own.modelVersion).not.toBe(fitted.modelVersion)
    expect(await change(null)).toEqual(fitted)
  })
})

describe('an account without any activity', () => {
  it('is judged by its payments among the fifths of all paying accounts', async () => {
    const owner = await member('Payers')
    const pay = async (customerId: string, daysAgo: readonly number[], amount: number) => {
      const { id } = await sentInvoice(owner, { customerId })
      for (const days of daysAgo) {
        const paidAt = new Date(platform.now.getTime() - days * 86_400_000).toISOString()
        const { status } = await owner.rest.invoiceRecordPayment!({ id, body: { amount, paidAt } })
        expect(status).toBeLessThan(300)
      }
      return id as string
    }
    const risky = async () => {
      const { id } = await account(owner)
      for (let row = 0; row < 3; row++) await supportCase(owner, { accountId: id, priority: 'URGENT' })
      await contact(owner, { accountId: id, buyingRole: 'CHAMPION', status: 'INACTIVE' })
      return id as string
    }
    const signalsOf = async (accountId: string) => {
      const { body } = await owner.rest.triageCaseList!({ query: { accountId } })
      return body.data[0].signals as { key: string; label: string; value: number; contribution: number }[]
    }
    // Of 25 paying accounts, those after the first pay 1 to 24 days ago, one to five times, and more each time.
    const [first, active, silent] = [await risky(), await risky(), await risky()]
    const paid = await pay(first, [200], 1)
    await pay(active, [1, 1, 1, 1, 1], 2)
    await activity(owner, { type: 'MEETING', accountId: active })
    for (let index = 2; index < 25; index++) {
      const days = Array.from({ length: 2 + (index % 4) }, () => index)
      await pay((await account(owner)).id, days, 2 + (index % 5))
    }
    await platform.query('select kernel.assign_event_positions(100000)')
    while (await consumeNext(platform.services, engagementConsumer, owner.organizationId));
    await scan(owner)
    const signals = await signalsOf(first)
    expect(signals.map(({ key }) => key)).toContain('PAYMENTS')
    expect(signals.map(({ key }) => key)).not.toContain('SILENCE')
    const payments = signals.find(({ key }) => key === 'PAYMENTS')
    expect(payments).toMatchObject({
      label: 'Payments among the fifths of all accounts, 5 the best: recency 1, frequency 1, amount 1',
      value: 1,
      weight: 1,
      evidence: [{ entityType: 'INVOICE', entityId: paid }],
    })
    // Three urgent cases, a champion who has left, and the lowest fifths.
    const { body } = await owner.rest.triageCaseList!({ query: { accountId: first } })
    const invoices = signals.find(({ key }) => key === 'INVOICES_OVERDUE')
    expect(invoices).toMatchObject({ value: 0 })
    expect(body.data[0].riskScore).toBeCloseTo(100 / (1 + Math.exp(2.5 - 1.8 - 1 - 1)), 2)
    // An account with activities, and one that has never paid, have no such signal.
    for (const id of [active, silent]) {
      const keys = new Set((await signalsOf(id)).map(({ key }) => key))
      expect([keys.has('SILENCE'), keys.has('PAYMENTS')]).toEqual([true, false])
    }
  })
})
