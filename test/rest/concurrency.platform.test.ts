import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account as accountRecord } from '../../subgraphs/crm/account/account.record.ts'
import { mergeTotals } from '../../subgraphs/kernel/record/maintained-totals.ts'
import { account, aCase, aProduct, each, product, supportCase } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const concurrently = (count: number, call: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(times(count, call))

/** Number of responses by status. */
function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('case numbers', () => {
  it('have no gap after 50 concurrent creates, some of them refused', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Numbers') })
    const { id } = await supportCase(own)
    const answers = await concurrently(50, (index) => {
      const more = index % 5 === 0 ? { accountId: newId() } : index % 7 === 0 ? { id } : {}
      const headers: Record<string, string> = index % 2 ? { 'Idempotency-Key': `number-${index}` } : {}
      return own.rest.caseCreate!({ body: aCase(more), headers })
    })
    expect(statuses(answers)).toEqual({ 201: 34, 400: 10, 409: 6 })
    const numbers = answers.filter(({ status }) => status === 201).map(({ body }) => body.caseNumber as number)
    expect(numbers.sort((a, b) => a - b)).toEqual(times(34, (index) => index + 2))
    expect((await supportCase(own)).caseNumber).toBe(36)
  })
})

describe('concurrent changes', () => {
  it('inside of transactions, of a type with rules over several records, all succeed', async () => {
    const { id } = await account(member)
    const answers = await concurrently(16, (index) =>
      member.rest.accountUpdate!({
        id,
        body: { description: `Text ${index}` },
        headers: { 'Idempotency-Key': `inside-${id}-${index}` },
      }),
    )
    expect(statuses(answers)).toEqual({ 200: 16 })
  })

  it('without If-Match all succeed, and none is lost', async () => {
    const { id } = await account(member)
    const fields = [
      'industry',
      'website',
      'domain',
      'phone',
      'fax',
      'description',
      'tier',
      'region',
      'billingStreet',
      'billingCity',
      'billingState',
      'billingCountry',
      'shippingStreet',
      'shippingCity',
      'shippingState',
      'shippingCountry',
    ]
    const answers = await concurrently(fields.length, (index) =>
      member.rest.accountUpdate!({ id, body: { [fields[index]!]: `value ${index}` } }),
    )
    expect(statuses(answers)).toEqual({ 200: 16 })
    const { body } = await member.rest.account!({ id })
    expect([body.version, ...fields.map((name) => body[name])]).toEqual([
      17,
      ...fields.map((_, index) => `value ${index}`),
    ])
    expect((await platform.eventTypesOf(id)).length).toBe(17)
  })

  it('of different custom fields are all kept', async () => {
    const { id } = await account(member, { customFields: { kept: true } })
    await concurrently(8, (index) =>
      member.rest.accountUpdate!({ id, body: { customFields: { [`f${index}`]: index } } }),
    )
    expect((await member.rest.account!({ id })).body.customFields).toEqual({
      kept: true,
      f0: 0,
      f1: 1,
      f2: 2,
      f3: 3,
      f4: 4,
      f5: 5,
      f6: 6,
      f7: 7,
    })
  })

  it('with the same If-Match succeed only once', async () => {
    const { id } = await account(member)
    const answers = await concurrently(10, (index) =>
      member.rest.accountUpdate!({ id, body: { name: `Name ${index}` }, headers: { 'If-Match': '"1"' } }),
    )
    expect(statuses(answers)).toEqual({ 200: 1, 409: 9 })
    expect((await platform.eventTypesOf(id)).length).toBe(2)
  })

  it.each<[string, string, (number | string | undefined)[]]>([
    ['is changed', 'version = 2', [409, 'VERSION_CONFLICT', 2]],
    ['is deleted', 'version = 2, deleted_at = now()', [404, 'NOT_FOUND', undefined]],
  ])('answers with the current state when the record %s between reading and writing it', async (_, set, expected) => {
    const { id } = await account(member)
    const late = await platform.services.database.transaction(async (sql) => {
      await sql.query(`update crm.account set ${set} where id = $1`, [id])
      const answer = member.rest.accountUpdate!({ id, body: { name: 'Late' }, headers: { 'If-Match': '"1"' } })
      await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 5000 }).toBe(1)
      return { answer }
    })
    const { status, body } = await late.answer
    expect([status, body.code, body.currentVersion]).toEqual(expected)
  })

  it('to the same status are applied once', async () => {
    const { id } = await supportCase(member)
    const answers = await concurrently(10, () => member.rest.caseSetStatus!({ id, body: { status: 'ESCALATED' } }))
    expect(statuses(answers)).toEqual({ 200: 10 })
    expect((await member.rest.case!({ id })).body).toMatchObject({ escalationLevel: 1, version: 2 })
    expect(await platform.eventTypesOf(id)).toEqual([
      'case.created',
      'case.updated',
      'case.status_changed',
      'case.escalated',
    ])
  })

  it('that delete or restore are applied once', async () => {
    const { id } = await account(member)
    expect(statuses(await concurrently(8, () => member.rest.accountDelete!({ id })))).toEqual({ 204: 1, 404: 7 })
    expect(statuses(await concurrently(8, () => member.rest.accountRestore!({ id })))).toEqual({ 200: 1, 409: 7 })
    expect(await platform.eventTypesOf(id)).toEqual(['account.created', 'account.deleted', 'account.restored'])
  })

  it('give a SKU to only one product', async () => {
    const answers = await concurrently(10, () => member.rest.productCreate!({ body: aProduct({ sku: 'RACE-1' }) }))
    expect(statuses(answers)).toEqual({ 201: 1, 409: 9 })
    const winner = answers.find(({ status }) => status === 201)
    const conflicts = answers.filter(({ status }) => status === 409)
    expect(conflicts.map(({ body }) => body.errors[0].conflictingId)).toEqual(conflicts.map(() => winner!.body.id))
  })

  it('make no account its own ancestor', async () => {
    for (let round = 0; round < 8; round++) {
      const [a, b] = [await account(member), await account(member)]
      const move = (id: string, parentAccountId: string) =>
        member.rest.accountUpdate!({ id, body: { parentAccountId } })
      const answers = await Promise.all([move(a.id, b.id), move(b.id, a.id)])
      expect(statuses(answers)).toEqual({ 200: 1, 400: 1 })
    }
  })

  it('in bulk of the same products in opposite orders, with ids in upper case, all succeed', async () => {
    const made = await each(times(20, String), (name) => product(member, { name }))
    const items = made.map(({ id }) => ({ id, name: 'Bulk' }))
    const answers = await Promise.all([
      member.rest.productBulkUpdate!({ body: { items } }),
      member.rest.productBulkUpdate!({
        body: { items: items.toReversed().map(({ id }) => ({ id, features: ['x'] })) },
      }),
      member.rest.productBulkUpdate!({
        body: { items: items.map(({ id }, index) => ({ id: index < 10 ? id : id.toUpperCase(), tags: ['y'] })) },
      }),
    ])
    expect(answers.map(({ body }) => [body.succeeded, body.failed])).toEqual([
      [20, 0],
      [20, 0],
      [20, 0],
    ])
    expect((await member.rest.product!({ id: made[7].id })).body).toMatchObject({
      name: 'Bulk',
      features: ['x'],
      tags: ['y'],
      version: 4,
    })
  })
})

describe('total', () => {
  const totals = async (who: Member) => [
    (await who.rest.accountList!({ query: { limit: 1 } })).body.total,
    (await who.rest.productList!({ query: { limit: 1 } })).body.total,
    (await who.rest.caseList!({ query: { limit: 1 } })).body.total,
  ]

  it('is exact after every create, delete, restore and refusal', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Totals') })
    expect(await totals(own)).toEqual([0, 0, 0])
    const one = await account(own)
    const two = await product(own)
    const three = await supportCase(own)
    expect(await totals(own)).toEqual([1, 1, 1])
    await own.rest.accountUpdate!({ id: one.id, body: { name: 'x' } })
    await own.rest.productCreate!({ body: aProduct({ sku: two.sku }) })
    await own.rest.caseCreate!({ body: aCase({ id: three.id }), headers: { 'Idempotency-Key': 'refused' } })
    expect(await totals(own)).toEqual([1, 1, 1])
    await own.rest.accountDelete!({ id: one.id })
    await own.rest.accountDelete!({ id: one.id })
    await own.rest.productBulkDelete!({ body: { ids: [two.id, two.id, newId()] } })
    await own.rest.caseDelete!({ id: three.id })
    expect(await totals(own)).toEqual([0, 0, 0])
    await own.rest.accountRestore!({ id: one.id })
    await own.rest.accountRestore!({ id: one.id })
    await own.rest.productRestore!({ id: two.id })
    await own.rest.caseRestore!({ id: three.id })
    expect(await totals(own)).toEqual([1, 1, 1])
    await mergeTotals(platform.services.database, [accountRecord])
    expect(await totals(own)).toEqual([1, 1, 1])
  })

  it('is exact after many concurrent writers while count differences are merged', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Writers') })
    const made = await Promise.all(times(40, () => account(own)))
    await Promise.all([
      ...times(30, () => account(own)),
      ...times(5, () => mergeTotals(platform.services.database, [accountRecord])),
      ...made.slice(0, 25).map(({ id }) => own.rest.accountDelete!({ id })),
      ...made.slice(0, 5).map(({ id }) => own.rest.accountDelete!({ id })),
      ...times(5, () => own.rest.accountList!()),
    ])
    await Promise.all([
      mergeTotals(platform.services.database, [accountRecord]),
      ...made.slice(0, 10).map(({ id }) => own.rest.accountRestore!({ id })),
    ])

    const [stored] = await platform.query<{ count: number }>(
      'select count(*)::int as count from crm.account where organization_id = $1 and deleted_at is null',
      [own.organizationId],
    )
    expect([
      (await own.rest.accountList!()).body.total,
      stored!.count,
      (await own.rest.accountStats!()).body.total,
    ]).toEqual([55, 55, 55])
    await mergeTotals(platform.services.database, [accountRecord])
    await mergeTotals(platform.services.database, [accountRecord])
    const [rows] = await platform.query<{ count: number }>(
      `select count(*)::int as count from crm.account_totals where organization_id = $1 and kind = 'CHANGE'`,
      [own.organizationId],
    )
    expect([(await own.rest.accountList!()).body.total, rows!.count <= 20]).toEqual([55, true])
  })

  it('is the same on every page', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Pages') })
    await Promise.all(times(45, () => account(own)))
    for (const [page, length] of [
      [1, 20],
      [2, 20],
      [3, 5],
      [4, 0],
    ] as const) {
      const { body } = await own.rest.accountList!({ query: { page } })
      expect([body.data.length, body.total, body.totalPages, body.hasMore]).toEqual([length, 45, 3, page < 3])
    }
  })
})

describe('productBulkUpdate', () => {
  it('accepts 500 products in one request', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Bulk') })
    const ids: string[] = []
    for (let part = 0; part < 10; part++)
      ids.push(...(await Promise.all(times(50, () => product(own)))).map(({ id }) => id as string))
    const { status, body } = await own.rest.productBulkUpdate!({
      body: { items: ids.map((id) => ({ id, isActive: false })) },
    })
    expect([status, body.requested, body.succeeded, body.failed]).toEqual([200, 500, 500, 0])
    expect((await own.rest.productStats!()).body).toMatchObject({ total: 500, active: 0, inactive: 500 })
    expect((await own.rest.productBulkDelete!({ body: { ids } })).body.succeeded).toBe(500)
    expect((await own.rest.productList!()).body.total).toBe(0)
  })
})
