import 'reflect-metadata'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { account } from '../../../crm/account/account.record.ts'
import { genericPlanOf, statementsOf } from '../../../../test/statements.ts'
import type { Caller } from '../../context.ts'
import { Refusal } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { RequestContext } from '../../request.ts'
import { changeAll } from '../change-all.ts'
import type { CustomFieldDefinition } from '../custom-field-column.ts'
import { CustomFieldsFixture, pageOf } from '../custom-fields.fixture.ts'
import type { PageArgs } from '../list.ts'
import { recordsOf } from '../records-of.ts'

const fixture = new CustomFieldsFixture()
const accounts = recordsOf(account)

const index = { isUnique: false, isReady: true }
const indexed: readonly CustomFieldDefinition[] = [
  { name: 'nickname', kind: 'text', max: 1000, index },
  { name: 'margin', kind: 'money', index },
  { name: 'loyal', kind: 'boolean', default: false, index },
  { name: 'renewalAt', kind: 'timestamp', index },
  { name: 'foundedOn', kind: 'date', index },
  { name: 'tier', kind: 'enum', members: ['HOT', 'COLD'], index },
]
const unindexed = indexed.map(({ index: _index, ...field }) => field)
const unique: readonly CustomFieldDefinition[] = [
  { name: 'code', kind: 'text', index: { isUnique: true, isReady: true } },
  { name: 'number', kind: 'money', index: { isUnique: true, isReady: true } },
  { name: 'phone', kind: 'text', format: 'PHONE', index: { isUnique: true, isReady: true } },
]

let organizationId: string
let ctx: RequestContext

beforeAll(() => fixture.open())
afterAll(() => fixture.close())
beforeEach(() => {
  organizationId = newId()
})

const define = (fields: readonly CustomFieldDefinition[], more: Partial<Caller> = {}): RequestContext => {
  fixture.definitions.define(organizationId, { account: fields })
  return fixture.context(organizationId, more)
}
const create = (customFields: object, name = 'Northwind') => accounts.create(ctx, { name, customFields })

const rows = (): Promise<{ field: string; value: string | null; key: string | null }[]> =>
  fixture.fresh.database.query(
    `select field, coalesce(text_value, number_value::text, boolean_value::text, time_value::text, date_value::text) as value, unique_key as key
     from kernel.record_value where organization_id = $1 order by field, record_id`,
    [organizationId],
  )

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: unknown) => (error instanceof Refusal ? error : Promise.reject(error as Error)),
  )

describe('the rows of the index', () => {
  beforeEach(() => {
    ctx = define(indexed)
  })

  it('are there for each field of a new record, also without a value', async () => {
    await create({ nickname: 'Nord', margin: 12.5, renewalAt: '2027-03-01T10:00:00.000Z', foundedOn: '1990-02-03' })
    expect((await rows()).map(({ field, value }) => [field, value])).toEqual([
      ['foundedOn', '1990-02-03'],
      ['loyal', 'false'],
      ['margin', '12.5'],
      ['nickname', 'Nord'],
      ['renewalAt', expect.stringContaining('2027-03-01')],
      ['tier', null],
    ])
  })

  it('follow a change, a deletion, a restoration and a change of many records', async () => {
    const { id } = await create({ nickname: 'Nord', margin: 12 })
    await accounts.update(ctx, id, { customFields: { nickname: 'Syd', tier: 'HOT' } })
    const of = async (...names: string[]) =>
      (await rows()).filter(({ field }) => names.includes(field)).map(({ value }) => value)
    expect(await of('margin', 'nickname', 'tier')).toEqual(['12', 'Syd', 'HOT'])
    await accounts.update(ctx, id, { customFields: { nickname: null } })
    expect(await of('nickname')).toEqual([null])
    await accounts.remove(ctx, id)
    expect(await rows()).toEqual([])
    await accounts.restore(ctx, id)
    expect(await of('margin', 'nickname', 'tier')).toEqual(['12', null, 'HOT'])
    await changeAll(ctx, account, [id], () => ({ customFields: { margin: 13 } }))
    expect(await of('margin')).toEqual(['13'])
  })

  it('are not written for a refused change', async () => {
    const { id } = await create({ nickname: 'Nord' })
    await accounts.update(ctx, id, { name: 'Other' })
    await expect(accounts.update(ctx, id, { customFields: { nickname: 'Syd' } }, 1)).rejects.toThrow(Refusal)
    expect((await rows()).find(({ field }) => field === 'nickname')!.value).toBe('Nord')
  })

  it('have the beginning of a text that is too long for an index', async () => {
    const long = 'ß'.repeat(1000)
    await create({ nickname: long })
    expect((await rows()).find(({ field }) => field === 'nickname')!.value).toBe('ß'.repeat(500))
    const found = await pageOf(ctx, account, { filter: { customFields: { nickname: { eq: long } } } })
    expect(found.total).toBe(1)
    const other = await pageOf(ctx, account, { filter: { customFields: { nickname: { eq: 'ß'.repeat(500) } } } })
    expect([other.total, other.names]).toEqual([0, []])
  })
})

describe('lists', () => {
  /** The names on all pages, and the number of records. */
  async function pages(reader: RequestContext, args: PageArgs): Promise<[unknown[], number | null]> {
    const names: unknown[] = []
    for (let cursor: string | null = null; ;) {
      const page = await pageOf(reader, account, { ...args, limit: 4, cursor })
      names.push(...page.names)
      if (!page.nextCursor) return [names, page.total]
      cursor = page.nextCursor
    }
  }
  const orders = indexed.flatMap(({ name }) => [
    { customField: name, direction: 'ASC' },
    { customField: name, direction: 'DESC' },
  ])
  const filters = [
    {},
    { nickname: { eq: 'N3' } },
    { nickname: { in: ['N3', 'N5', 'none'] } },
    { nickname: null },
    { margin: { gte: 2, lt: 6 } },
    { margin: { isNull: true } },
    { margin: { gt: 3 }, tier: 'HOT' },
    { loyal: true },
    { loyal: false, nickname: { contains: 'N' } },
    { foundedOn: { lte: '2001-01-04' } },
    { renewalAt: { gt: '2027-01-03T00:00:00Z' }, margin: { ne: 5 } },
    { tier: 'HOT', margin: { gte: 2, lte: 8 }, loyal: { eq: false } },
    { tier: 'HOT', margin: { gt: 20 } },
  ]
  const own = newId()

  beforeEach(async () => {
    ctx = define(indexed)
    for (let n = 0; n < 23; n++) {
      const day = String(1 + (n % 9)).padStart(2, '0')
      const given = {
        nickname: n % 5 === 4 ? null : `N${n % 7}`,
        margin: n % 4 === 3 ? null : (n * 7) % 11,
        loyal: n % 3 === 0,
        renewalAt: n % 6 === 5 ? null : `2027-01-${day}T00:00:00.000Z`,
        foundedOn: n % 8 === 7 ? null : `2001-01-${day}`,
        tier: n % 2 === 0 ? 'HOT' : null,
      }
      fixture.clock.set(`2027-02-01T09:00:${String(n % 12).padStart(2, '0')}.000Z`)
      const { id } = await create(given, `A${n}`)
      if (n % 3 === 1)
        await fixture.fresh.database.query('update crm.account set owner_id = $2 where id = $1', [id, own])
    }
    for (const name of ['gone', 'gone, too']) {
      const { id } = await create({ nickname: 'N3', margin: 3, tier: 'HOT', loyal: true }, name)
      await accounts.remove(ctx, id)
    }
  })

  it('have the same pages and totals with an index as without one, in every order and with every filter', async () => {
    const readers = [{}, { visibility: 'OWN', ownerIds: [own] } as const]
    const args = filters.flatMap((customFields) =>
      [...orders, { field: 'createdAt', direction: 'DESC' }, { field: 'name', direction: 'ASC' }].map((order) => ({
        filter: { customFields },
        orderBy: [order],
      })),
    )
    for (const more of readers) {
      const read = async (fields: readonly CustomFieldDefinition[]) => {
        const reader = define(fields, more as Partial<Caller>)
        const found: unknown[] = []
        for (const one of args) found.push(await pages(reader, one))
        return found
      }
      const [expected, found] = [await read(unindexed), await read(indexed)]
      for (const [at, one] of args.entries()) expect([one, found[at]]).toEqual([one, expected[at]])
    }
  }, 300_000)

  it('read a range of one field once, and look up other fields of records in the order of the list', async () => {
    const orderBy = [{ field: 'createdAt', direction: 'DESC' }]
    const filter = { customFields: { margin: { gte: 2, lt: 8 }, tier: 'HOT' } }
    const texts = await statementsOf(
      fixture,
      () => pageOf(define(indexed), account, { filter, orderBy }),
      /record_value/,
    )
    const plans: string[] = []
    for (const text of texts)
      plans.push((await genericPlanOf(fixture.fresh.url, text, ['seqscan', 'bitmapscan', 'sort'])).join('\n'))
    // The number of rows of each field, the total and the page.
    expect(plans).toHaveLength(3)
    for (const plan of plans) {
      expect(plan.match(/record_value_number/g)).toHaveLength(1)
      expect(plan).toMatch(/record_value_number.*\n *Index Cond: .*number_value >= .*number_value < /)
    }
    const page = plans.find((plan) => plan.includes('Subquery Scan on o'))
    expect(page).toMatch(/Limit\n *->  Subquery Scan on o\n *Filter: EXISTS\(SubPlan \d+\)\n *->  Sort/)
    expect(page).toMatch(/record_value_pkey.*\n *Index Cond: .*record_id = o.record_id/)
  })

  it('read pages far from the first one by the index', async () => {
    const args = { orderBy: [{ customField: 'margin', direction: 'ASC' }], limit: 5, page: 4 }
    const found = await pageOf(ctx, account, args)
    const expected = await pageOf(define(unindexed), account, args)
    expect(found.names).toEqual(expected.names)
    expect(found.names).toHaveLength(5)
  })
})

/** The id of a deleted account whose code another one has taken. */
async function deletedTwin(): Promise<string> {
  const { id } = await create({ code: 'twin' })
  await accounts.remove(ctx, id)
  await create({ code: 'twin' })
  return id
}

describe('unique fields', () => {
  beforeEach(() => {
    ctx = define(unique)
  })

  it.each([
    [{ code: 'Größe  7' }, { code: ' größe 7' }],
    [{ code: 'A b' }, { code: 'ａ\u00a0ｂ' }],
    [{ number: 10 }, { number: 10.0 }],
    [{ phone: '+49 (30) 123-45' }, { phone: '0049 30 12345' }],
  ])('do not take %j and then %j: 409 with the other record, and nothing changes', async (first, second) => {
    const { id } = await create(first)
    const other = await create({})
    const [name] = Object.keys(first)
    for (const work of [() => create(second), () => accounts.update(ctx, other.id, { customFields: second })]) {
      const { code, extensions } = await refusalOf(work())
      expect([code, extensions.errors]).toEqual([
        'UNIQUE_VIOLATION',
        [expect.objectContaining({ path: `customFields.${name}`, code: 'NOT_UNIQUE', conflictingId: id })],
      ])
    }
    expect((await rows()).filter(({ key }) => key !== null)).toHaveLength(1)
  })

  it('do not compare records without a value, deleted ones, and those of other organizations', async () => {
    await create({ code: '' })
    await create({ code: '  ' })
    await create({})
    const { id } = await create({ code: 'X' })
    await accounts.remove(ctx, id)
    await create({ code: 'x' })
    const mine = organizationId
    organizationId = newId()
    ctx = define(unique)
    await create({ code: 'X' })
    organizationId = mine
    expect((await rows()).filter(({ key }) => key === 'x')).toHaveLength(1)
  })

  it('refuse a restoration into a conflict with 409, and the record stays deleted', async () => {
    const { id } = await create({ code: 'X' })
    await accounts.remove(ctx, id)
    const other = await create({ code: 'x' })
    const { code, extensions } = await refusalOf(accounts.restore(ctx, id))
    expect([code, (extensions.errors as { conflictingId: string }[])[0]!.conflictingId]).toEqual([
      'UNIQUE_VIOLATION',
      other.id,
    ])
    await accounts.remove(ctx, other.id)
    expect((await accounts.restore(ctx, id)).id).toBe(id)
  })

  it('say nothing of a record that the caller does not see, nor of a field that is hidden from the caller', async () => {
    await create({ code: 'X' })
    const owner = newId()
    const limited = fixture.context(organizationId, { visibility: 'OWN', ownerIds: [owner], userId: owner })
    const unseen = await refusalOf(accounts.create(limited, { name: 'Other', customFields: { code: 'x' } }))
    expect(unseen.extensions.errors).toEqual([
      expect.not.objectContaining({ conflictingId: expect.anything() as string }),
    ])
    const fields = { account: { 'customFields.code': 'HIDDEN' } } as const
    const { id } = await create({})
    await accounts.update(ctx, id, { customFields: { code: 'y' } })
    const blind = fixture.context(organizationId, { fields })
    const hidden = await refusalOf(accounts.restore(blind, await deletedTwin()))
    expect([hidden.code, hidden.extensions.errors]).toEqual(['UNIQUE_VIOLATION', undefined])
  })

  it('refuse a change of many records of which two would have the same value', async () => {
    const [one, two] = [await create({ code: 'A' }), await create({ code: 'B' })]
    const { code } = await refusalOf(changeAll(ctx, account, [one.id, two.id], () => ({ customFields: { code: 'C' } })))
    expect(code).toBe('UNIQUE_VIOLATION')
    expect((await rows()).flatMap(({ key }) => key ?? [])).toEqual(['a', 'b'])
  })

  it('let one of eight clients write a value, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ code: `Round ${round}` })))
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Refusal] : []))
      expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 7 }, () => 'UNIQUE_VIOLATION'))
    }
    expect((await rows()).filter(({ key }) => key?.startsWith('round'))).toHaveLength(5)
  })

  it('let a value move from one record to another', async () => {
    const [one, two] = [await create({ code: 'A' }), await create({ code: 'B' })]
    await accounts.update(ctx, one.id, { customFields: { code: null } })
    await accounts.update(ctx, two.id, { customFields: { code: 'a' } })
    expect((await rows()).flatMap(({ key }) => key ?? [])).toEqual(['a'])
  })
})
