import { beforeEach, describe, expect, it } from 'vitest'
import { mergeRollups } from '../../subgraphs/kernel/record/rollup/merge-rollups.ts'
import { account, opportunity } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { genericPlanOf, statementsOf } from '../statements.ts'
import { anOrganization, field } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'
import { fieldsOfDeals, randomNumbers, rollup } from './rollups.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member
/** Sees the accounts that it owns. */
let limited: Member

const merge = () => mergeRollups(platform.services.database)

interface Listed {
  readonly id: string
  readonly name: string
  readonly customFields: Readonly<Record<string, number | undefined>>
}

const document = `query ($f: AccountFilter, $o: [AccountOrder!], $c: String, $p: Int, $l: Int) {
  accountList(filter: $f, orderBy: $o, cursor: $c, page: $p, limit: $l) { nextCursor data { id name customFields } } }`

async function page(by: Member, variables: object): Promise<{ nextCursor: string | null; data: Listed[] }> {
  const { body } = await by.graphql(document, variables)
  expect(body.errors).toBeUndefined()
  return body.data.accountList as { nextCursor: string | null; data: Listed[] }
}

/** The records on all pages of three. */
async function pages(by: Member, o: readonly object[], f: object = {}): Promise<Listed[]> {
  const found: Listed[] = []
  for (let c: string | null = null; ;) {
    const { nextCursor, data } = await page(by, { o, f, c, l: 3 })
    found.push(...data)
    if (!nextCursor) return found
    c = nextCursor
  }
}

const directions = [
  ['ASC', 1],
  ['DESC', -1],
] as const

/** The order by a value and then by id, records without a value last. */
const by =
  (valueOf: (one: Listed) => number | undefined, sign: number) =>
  (one: Listed, other: Listed): number => {
    const [a, b] = [valueOf(one), valueOf(other)]
    if (a !== b) return a === undefined ? 1 : b === undefined ? -1 : sign * (a - b)
    return one.id < other.id ? -sign : sign
  }

const names = (records: readonly Listed[]): string[] => records.map(({ name }) => name)

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  limited = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
  await fieldsOfDeals(owner)
  await field(owner, rollup('deals', { aggregate: 'COUNT' }))
  await field(owner, rollup('seatsSold', { aggregate: 'SUM', field: 'customFields.seats' }))
  await field(owner, rollup('mean', { aggregate: 'AVG', field: 'amount' }))
  await settleFieldChanges(platform)
})

/** Accounts with random deals, some of them with none, with the same totals, or with a sum of 0; and a deleted one with the most deals. */
async function fill(): Promise<void> {
  const random = randomNumbers(11)
  for (let number = 0; number < 17; number++) {
    const { id } = await account(number % 3 === 0 ? limited : member, { name: `A${number}` })
    const count = number % 6 === 5 ? 0 : random(4)
    for (let at = 0; at < count; at++)
      await opportunity(member, { accountId: id, amount: random(3), customFields: { seats: (random(7) - 3) / 4 } })
    if (number % 6 !== 4) continue
    for (const seats of [2.5, -2.5]) await opportunity(member, { accountId: id, customFields: { seats } })
  }
  const { id } = await account(member, { name: 'Deleted' })
  for (let at = 0; at < 5; at++) await opportunity(member, { accountId: id, customFields: { seats: at } })
  await merge()
  expect((await member.rest['accountDelete']!({ id })).status).toBe(204)
}

describe('lists in the order of a rollup', () => {
  it('have each record once, by total and then by id, in both directions, with filters and for each reader', async () => {
    await fill()
    const all = (await page(member, { l: 50 })).data
    expect(all).toHaveLength(17)
    const sums = all.map(({ customFields }) => customFields['seatsSold']!)
    for (const sign of [-1, 0, 1]) expect(sums.filter((sum) => Math.sign(sum) === sign).length).toBeGreaterThan(2)
    const seen = (await page(limited, { l: 50 })).data
    expect(seen).toHaveLength(6)
    for (const name of ['deals', 'seatsSold', 'mean'])
      for (const [direction, sign] of directions) {
        const o = [{ customField: name, direction }]
        const inOrder = (records: readonly Listed[]) =>
          names(records.toSorted(by((one) => one.customFields[name], sign)))
        expect(names(await pages(member, o)), `${name} ${direction}`).toEqual(inOrder(all))
        expect(names(await pages(limited, o)), `${name} ${direction}`).toEqual(inOrder(seen))
        const named = all.filter((one) => one.name.startsWith('A1'))
        expect(names(await pages(member, o, { name: { startsWith: 'A1' } }))).toEqual(inOrder(named))
        const few = all.filter(({ customFields }) => customFields['deals']! >= 2)
        expect(names(await pages(member, o, { customFields: { deals: { gte: 2 } } }))).toEqual(inOrder(few))
        expect(names((await page(member, { o, p: 3, l: 4 })).data)).toEqual(inOrder(all).slice(8, 12))
      }
    const o = [
      { customField: 'deals', direction: 'DESC' },
      { field: 'name', direction: 'ASC' },
    ]
    const byName = all.toSorted(
      (one, other) => other.customFields['deals']! - one.customFields['deals']! || (one.name < other.name ? -1 : 1),
    )
    expect(names(await pages(member, o))).toEqual(names(byName))
  })

  it('have no record of a later section before one that matches behind very many others', async () => {
    const { id } = await account(member, { name: 'Other' })
    await copiesOf(platform, member, id, 2_100)
    await platform.query(
      `insert into kernel.rollup (organization_id, rollup_id, parent_id, n, total)
       select a.organization_id, f.id, a.id, 1, 5 from crm.account a join extensions.field_definition f using (organization_id)
       where a.organization_id = $1 and f.name = 'seatsSold'`,
      [owner.organizationId],
    )
    const { id: sold } = await account(member, { name: 'Sold' })
    await opportunity(member, { accountId: sold, customFields: { seats: 1 } })
    await merge()
    for (const name of ['None', 'Nothing']) await account(member, { name })
    const o = [{ customField: 'seatsSold', direction: 'DESC' }]
    const f = { name: { in: ['Sold', 'None', 'Nothing'] } }
    expect(names((await page(member, { o, f, l: 1 })).data)).toEqual(['Sold'])
    expect(names(await pages(member, o, f))).toEqual(['Sold', 'Nothing', 'None'])
  })

  it('are sorted by merged totals and show the exact values, which give the order from the next merge on', async () => {
    const [one, two, three] = [
      await account(member, { name: 'One' }),
      await account(member, { name: 'Two' }),
      await account(member, { name: 'Three' }),
    ]
    const sell = (accountId: string, seats: number) => opportunity(member, { accountId, customFields: { seats } })
    await sell(one.id, 1)
    await sell(two.id, -3)
    await merge()
    await sell(two.id, 12_345_678_901_234.5)
    await sell(three.id, -0.25)
    const o = [{ customField: 'seatsSold', direction: 'DESC' }]
    const values = async () =>
      (await pages(member, o)).map(({ name, customFields }) => `${name} ${customFields['seatsSold']}`)
    expect(await values()).toEqual(['One 1', 'Three -0.25', 'Two 12345678901231.5'])
    await merge()
    expect(await values()).toEqual(['Two 12345678901231.5', 'One 1', 'Three -0.25'])
  })

  it('refuse a cursor of another order, and one without a total', async () => {
    await account(member)
    await account(member)
    const refusal = async (o: readonly object[], c: string) => {
      const { body } = await member.graphql(document, { o, c, l: 1 })
      return body.errors?.[0]?.extensions?.errors?.[0]?.code as string | undefined
    }
    const o = [{ customField: 'deals', direction: 'DESC' }]
    const { nextCursor } = await page(member, { o, l: 1 })
    const other = (await page(member, { o: [{ customField: 'seatsSold', direction: 'DESC' }], l: 1 })).nextCursor
    expect(await refusal(o, other!)).toBe('NOT_A_CURSOR')
    const parts = JSON.parse(Buffer.from(nextCursor!, 'base64url').toString()) as unknown[]
    const without = Buffer.from(JSON.stringify(parts.with(1, null))).toString('base64url')
    expect(await refusal(o, without)).toBe('NOT_A_CURSOR')
    expect((await page(member, { o, c: nextCursor, l: 1 })).data).toHaveLength(1)
  })

  it('read the index of totals in its order, and look up each record when it is its turn', async () => {
    const { id } = await account(member)
    await opportunity(member, { accountId: id, customFields: { seats: 2 } })
    await merge()
    const plansOf = async (variables: object): Promise<string[]> => {
      const o = [{ customField: 'seatsSold', direction: 'DESC' }]
      const texts = await statementsOf(platform, () => page(member, { o, l: 2, ...variables }), /kernel[._]rollup/)
      const plans: string[] = []
      for (const text of texts)
        plans.push((await genericPlanOf(platform.databaseUrl, text, ['seqscan', 'bitmapscan', 'sort'])).join('\n'))
      return plans
    }
    const [whole, ...others] = await plansOf({})
    expect(others).toEqual([])
    const counts = (plan: string, ...parts: readonly RegExp[]) => parts.map((part) => plan.match(part)?.length ?? 0)
    const parts = [/Scan Backward using rollup_total/g, /Filter: EXISTS\(SubPlan \d+\)/g, /\bid = o(?:_\d+)?\.id/g]
    // The records of the page keep the order of their ids.
    expect(counts(whole!, ...parts, /Sort Key/g), whole).toEqual([2, 2, 2, 0])
    const [first, rest] = await plansOf({ f: { name: { contains: 'none' } } })
    expect(counts(first!, ...parts, /Sort Key/g), first).toEqual([2, 1, 1, 0])
    expect(rest).toMatch(/Left Join\n(?:.*\n)+?.*rollup_pkey/)
  })
})
