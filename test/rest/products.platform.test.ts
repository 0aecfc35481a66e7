import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { aProduct, each, product } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

describe('productCreate', () => {
  it('returns the whole product and emits one event', async () => {
    const { status, body, headers } = await member.rest.productCreate!({
      body: { name: 'Dock planner', sku: 'DOCK-1', listPrice: 0 },
    })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: member.organizationId,
      ownerId: member.userId,
      externalId: null,
      tags: [],
      metadata: null,
      customFields: {},
      version: 1,
      createdAt: platform.now.toISOString(),
      updatedAt: platform.now.toISOString(),
      createdById: member.userId,
      updatedById: member.userId,
      deletedAt: null,
      name: 'Dock planner',
      sku: 'DOCK-1',
      description: null,
      type: 'PRODUCT',
      category: 'OTHER',
      listPrice: 0,
      unitPrice: null,
      costPrice: null,
      currency: 'USD',
      billingFrequency: 'ONE_TIME',
      isActive: true,
      features: [],
    })
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"1"', `/v1/products/${body.id}`])
    expect(await platform.eventTypesOf(body.id)).toEqual(['product.created'])
    expect((await member.rest.product!({ id: body.id })).body).toEqual(body)
  })

  it('stores every field unchanged, prices to the last digit', async () => {
    const given = {
      name: 'Yard view',
      sku: 'YARD/1 ä',
      description: 'Shows the yard.',
      type: 'SUBSCRIPTION',
      category: 'SOFTWARE',
      listPrice: 1_000_000_000_000_000,
      unitPrice: 0.1,
      costPrice: 123_456_789.123_456,
      currency: 'EUR',
      billingFrequency: 'USAGE_BASED',
      isActive: false,
      features: ['Carrier portal', 'Alerts'],
      tags: ['new'],
      externalId: 'erp-1',
      metadata: { any: ['json', 1, null] },
      customFields: { line: 'yard' },
    }
    const body = await product(member, given)
    expect(body).toMatchObject(given)
    expect((await member.rest.product!({ id: body.id })).body).toEqual(body)
  })

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name REQUIRED'],
    ['no SKU', { sku: undefined }, 'sku REQUIRED'],
    ['no list price', { listPrice: undefined }, 'listPrice REQUIRED'],
    ['a list price below 0', { listPrice: -0.01 }, 'listPrice OUT_OF_RANGE'],
    ['a unit price below 0', { unitPrice: -1 }, 'unitPrice OUT_OF_RANGE'],
    ['a cost price below 0', { costPrice: -1 }, 'costPrice OUT_OF_RANGE'],
    ['a price that is not a number', { listPrice: 'ten' }, 'listPrice WRONG_FORMAT'],
    ['an invalid currency', { currency: 'usd' }, 'currency WRONG_FORMAT'],
    ['a type that does not exist', { type: 'GOODS' }, 'type NOT_ALLOWED'],
  ])('refuses %s with 400', async (_, given, problem) => {
    expect(await refusedInputs(platform, () => member.rest.productCreate!({ body: aProduct(given) }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ])
  })

  it.each<[string, object, string | null]>([
    ['USD', { listPrice: 9.99 }, null],
    ['USD', { listPrice: '9.990' }, null],
    ['USD', { listPrice: 9.999 }, 'listPrice TOO_PRECISE'],
    ['USD', { listPrice: '9.999' }, 'listPrice TOO_PRECISE'],
    ['USD', { listPrice: JSON.rawJSON('123456789012345.001') }, 'listPrice TOO_PRECISE'],
    ['JPY', { listPrice: 100 }, null],
    ['JPY', { listPrice: 100.5 }, 'listPrice TOO_PRECISE'],
    ['BHD', { listPrice: 0.125 }, null],
    ['BHD', { listPrice: 0.1255 }, 'listPrice TOO_PRECISE'],
    ['CLF', { listPrice: 0.1255 }, null],
    ['JPY', { listPrice: 0.000_004, billingFrequency: 'USAGE_BASED' }, null],
    ['USD', { listPrice: 1, unitPrice: 0.0125, costPrice: 0.000_004 }, null],
    ['USD', { listPrice: 1, unitPrice: '0.123456789012345678901' }, 'unitPrice TOO_PRECISE'],
  ])('accepts a list price with at most the decimals of its currency: %s %j', async (currency, given, problem) => {
    const create = () => member.rest.productCreate!({ body: aProduct({ currency, ...given }) })
    if (problem) expect(await refusedInputs(platform, create)).toEqual([400, 'VALIDATION_FAILED', problem])
    else expect((await create()).status).toBe(201)
  })

  it('refuses an owner of another organization with 400', async () => {
    expect(
      await refusedInputs(platform, () => member.rest.productCreate!({ body: aProduct({ ownerId: stranger.userId }) })),
    ).toEqual([400, 'VALIDATION_FAILED', 'ownerId UNKNOWN_REFERENCE'])
  })

  it('refuses the SKU of another live product with 409 and names it', async () => {
    const taken = await product(member, { sku: 'TAKEN-1' })
    const { status, body } = await unchanged(platform, () =>
      member.rest.productCreate!({ body: aProduct({ sku: 'TAKEN-1' }) }),
    )
    expect([status, body.code, body.errors]).toEqual([
      409,
      'UNIQUE_VIOLATION',
      [{ path: 'sku', code: 'NOT_UNIQUE', message: 'Another product already has this sku.', conflictingId: taken.id }],
    ])
    expect((await product(member, { sku: 'taken-1' })).sku).toBe('taken-1')
    expect((await product(stranger, { sku: 'TAKEN-1' })).sku).toBe('TAKEN-1')
  })
})

describe('productBySku', () => {
  it.each(['PLAIN-1', 'with space', 'a/b', '100%', 'ünïcode 😀', '.x', 'bulk'])(
    'finds %j, only in its own organization',
    async (sku) => {
      const created = await product(member, { sku })
      const { status, body, headers } = await member.rest.productBySku!({ sku })
      expect([status, body, headers.get('etag')]).toEqual([200, created, '"1"'])
      expect((await stranger.rest.productBySku!({ sku })).status).toBe(404)
    },
  )

  it('answers 404 for a SKU in other case, of a deleted product or too long', async () => {
    const { id } = await product(member, { sku: 'Gone-1' })
    expect((await member.rest.productBySku!({ sku: 'gone-1' })).status).toBe(404)
    expect((await member.rest.productBySku!({ sku: 'Gone_1' })).status).toBe(404)
    await member.rest.productDelete!({ id })
    expect((await member.rest.productBySku!({ sku: 'Gone-1' })).status).toBe(404)
    expect((await member.rest.productBySku!({ sku: 'x'.repeat(101) })).status).toBe(404)
  })
})

describe('productList', () => {
  let reader: Member

  beforeAll(async () => {
    platform.now = new Date('2027-03-01T09:00:00.000Z')
    reader = await platform.member({ organizationId: await platform.organization('Lists') })
    await each(
      [
        { name: 'Alder', sku: 'A_1', type: 'SERVICE', category: 'TRAINING', listPrice: 30, unitPrice: 5 },
        {
          name: 'Birch',
          sku: 'B%1',
          isActive: false,
          billingFrequency: 'MONTHLY',
          listPrice: 4,
          customFields: { line: 'x' },
        },
        {
          name: 'cedar',
          sku: 'C-1',
          externalId: 'erp-3',
          description: 'Made of ALDER',
          listPrice: 200,
          unitPrice: 0.5,
        },
      ],
      async (body) => {
        platform.advanceClock(1000)
        return product(reader, body)
      },
    )
  })

  it.each<[query: string, names: string[]]>([
    ['', ['cedar', 'Birch', 'Alder']],
    ['type=SERVICE', ['Alder']],
    ['type=SERVICE,BUNDLE', ['Alder']],
    ['externalId=erp-3', ['cedar']],
    ['category=TRAINING', ['Alder']],
    ['isActive=true', ['cedar', 'Alder']],
    ['isActive=false', ['Birch']],
    ['billingFrequency=MONTHLY', ['Birch']],
    ['updatedAfter=2027-03-01T09:00:02Z', ['cedar']],
    ['customFields[line]=x', ['Birch']],
    ['search=alder', ['cedar', 'Alder']],
    ['search=_', ['Alder']],
    ['search=%25', ['Birch']],
    ['search=c-1', ['cedar']],
    ['sortBy=listPrice&sortOrder=asc', ['Birch', 'Alder', 'cedar']],
    ['sortBy=unitPrice&sortOrder=asc', ['cedar', 'Alder', 'Birch']],
    ['sortBy=unitPrice&sortOrder=desc', ['Alder', 'cedar', 'Birch']],
    ['sortBy=isActive&sortOrder=asc', ['Birch', 'Alder', 'cedar']],
  ])('answers ?%s', async (query, names) => {
    const answer = await reader.rest.productList!({ query })
    expect(values(answer, 'name')).toEqual(names)
    expect(answer.body).toMatchObject({
      page: 1,
      limit: 20,
      total: names.length,
      totalPages: 1,
      hasMore: false,
      nextCursor: null,
    })
  })

  it('omits custom fields and totals on request', async () => {
    const { body } = await reader.rest.productList!({ query: { withCustomFields: false, includeTotal: false } })
    expect(['total' in body, 'totalPages' in body, 'customFields' in body.data[0]]).toEqual([false, false, false])
  })

  it.each(['isActive=yes', 'type.0=x', 'category.0=x', 'sortBy=description', 'limit=0'])(
    'refuses %s with 400',
    async (problem) => {
      const { status, body } = await reader.rest.productList!({ query: problem.replace('.0', '') })
      expect([status, body.errors[0].path]).toEqual([400, problem.split('=')[0]])
    },
  )
})

describe('productStats', () => {
  it('counts the live products', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Figures') })
    expect((await own.rest.productStats!()).body).toEqual({
      total: 0,
      active: 0,
      inactive: 0,
      byType: { PRODUCT: 0, SERVICE: 0, SUBSCRIPTION: 0, LICENSE: 0, BUNDLE: 0 },
      byCategory: { OTHER: 0, TRAINING: 0, SOFTWARE: 0, HARDWARE: 0, CONSULTING: 0, SUPPORT: 0 },
      averageListPrice: null,
      currency: 'USD',
      listPriceByCurrency: [],
    })
    await each(
      [
        { listPrice: 1, type: 'SERVICE' },
        { listPrice: 2, isActive: false },
        { listPrice: 2, category: 'SUPPORT' },
      ],
      (body) => product(own, body),
    )
    const gone = await product(own, { listPrice: 1e6 })
    await own.rest.productDelete!({ id: gone.id })
    expect((await own.rest.productStats!()).body).toEqual({
      total: 3,
      active: 2,
      inactive: 1,
      byType: { PRODUCT: 2, SERVICE: 1, SUBSCRIPTION: 0, LICENSE: 0, BUNDLE: 0 },
      byCategory: { OTHER: 2, TRAINING: 0, SOFTWARE: 0, HARDWARE: 0, CONSULTING: 0, SUPPORT: 1 },
      averageListPrice: 1.67,
      currency: 'USD',
      listPriceByCurrency: [{ currency: 'USD', count: 3, sum: 5, average: 1.67 }],
    })
  })
})

describe('productUpdate', () => {
  it('changes the named fields, and the event has the previous values', async () => {
    const before = await product(member, { unitPrice: 5 })
    const { status, body } = await member.rest.productUpdate!({
      id: before.id,
      body: { listPrice: 0.3, unitPrice: null, isActive: false },
      headers: { 'If-Match': '"1"' },
    })
    expect([status, body]).toEqual([200, { ...before, listPrice: 0.3, unitPrice: null, isActive: false, version: 2 }])
    const [, event] = await platform.eventsOf(before.id)
    expect(event!.data).toMatchObject({
      record: body,
      previous: before,
      changedFields: ['listPrice', 'unitPrice', 'isActive'],
    })
  })

  it('refuses a currency or a billing frequency for which the list price has too many decimals', async () => {
    const { id } = await product(member, { currency: 'EUR', listPrice: 0.25 })
    const change = (body: object) => refusedInputs(platform, () => member.rest.productUpdate!({ id, body }))
    const refusal = [400, 'VALIDATION_FAILED', 'listPrice TOO_PRECISE']
    expect(await change({ currency: 'JPY' })).toEqual(refusal)
    await member.rest.productUpdate!({ id, body: { billingFrequency: 'USAGE_BASED', listPrice: 0.000_25 } })
    expect(await change({ billingFrequency: 'MONTHLY' })).toEqual(refusal)
  })

  it('accepts a stored list price with too many decimals until the price changes', async () => {
    const { id } = await product(member)
    await platform.query('update commerce.product set list_price = 9.999 where id = $1', [id])
    expect((await member.rest.productUpdate!({ id, body: { name: 'New' } })).body).toMatchObject({ listPrice: 9.999 })
    expect(await refusedInputs(platform, () => member.rest.productUpdate!({ id, body: { listPrice: 9.998 } }))).toEqual(
      [400, 'VALIDATION_FAILED', 'listPrice TOO_PRECISE'],
    )
  })

  it('refuses a used SKU and another version with 409', async () => {
    const taken = await product(member)
    const { id } = await product(member)
    const { body } = await unchanged(platform, () => member.rest.productUpdate!({ id, body: { sku: taken.sku } }))
    expect([body.status, body.code, body.errors[0].conflictingId]).toEqual([409, 'UNIQUE_VIOLATION', taken.id])
    expect(
      await refused(platform, () =>
        member.rest.productUpdate!({ id, body: { name: 'X' }, headers: { 'If-Match': '"7"' } }),
      ),
    ).toEqual([409, 'VERSION_CONFLICT'])
  })
})

describe('productDelete and productRestore', () => {
  it('free the SKU, and restore it if no other product has it', async () => {
    const first = await product(member, { sku: 'FREE-1' })
    expect((await member.rest.productDelete!({ id: first.id })).status).toBe(204)
    const second = await product(member, { sku: 'FREE-1' })
    const { status, body } = await unchanged(platform, () => member.rest.productRestore!({ id: first.id }))
    expect([status, body.code, body.errors[0]]).toEqual([
      409,
      'UNIQUE_VIOLATION',
      { path: 'sku', code: 'NOT_UNIQUE', message: 'Another product already has this sku.', conflictingId: second.id },
    ])

    await member.rest.productDelete!({ id: second.id })
    expect((await member.rest.productListDeleted!()).body.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([first.id, second.id]),
    )
    expect((await member.rest.productRestore!({ id: first.id })).body).toEqual({ ...first, version: 3 })
    expect((await member.rest.productBySku!({ sku: 'FREE-1' })).body.id).toBe(first.id)
    expect(await refused(platform, () => member.rest.productRestore!({ id: first.id }))).toEqual([409, 'INVALID_STATE'])
  })
})

const some = (count: number) =>
  each(
    Array.from({ length: count }, (_, index) => index),
    (index) => product(member, { name: `Bulk ${index}` }),
  )

describe('productBulkUpdate', () => {
  it('changes each item separately and returns results in the order of the request', async () => {
    const [a, b, c, d] = await some(4)
    const foreign = await product(stranger)
    const { status, body } = await member.rest.productBulkUpdate!({
      body: {
        items: [
          { id: d.id, name: 'Renamed', tags: ['x'] },
          { id: b.id, sku: a.sku },
          { id: c.id, listPrice: 1, expectedVersion: 2 },
          { id: foreign.id, name: 'Renamed' },
          { id: newId(), name: 'Renamed' },
          { id: a.id, name: 'Renamed', expectedVersion: 1 },
          { id: a.id, ownerId: stranger.userId },
        ],
      },
    })
    expect(status).toBe(200)
    expect([body.requested, body.succeeded, body.failed]).toEqual([7, 2, 5])
    expect(
      body.results.map(({ index, id, status: done, code }: Record<string, unknown>) => [index, id, done, code]),
    ).toEqual([
      [0, d.id, 'UPDATED', null],
      [1, b.id, 'FAILED', 'UNIQUE_VIOLATION'],
      [2, c.id, 'FAILED', 'VERSION_CONFLICT'],
      [3, foreign.id, 'FAILED', 'NOT_FOUND'],
      [4, expect.any(String), 'FAILED', 'NOT_FOUND'],
      [5, a.id, 'UPDATED', null],
      [6, a.id, 'FAILED', 'VALIDATION_FAILED'],
    ])
    expect(body.results[1].errors).toEqual([
      { path: 'sku', code: 'NOT_UNIQUE', message: 'Another product already has this sku.', conflictingId: a.id },
    ])
    expect((await member.rest.product!({ id: a.id })).body).toEqual({ ...a, name: 'Renamed', version: 2 })
    expect((await member.rest.product!({ id: b.id })).body).toEqual(b)
    expect((await member.rest.product!({ id: c.id })).body).toEqual(c)
    expect((await member.rest.product!({ id: d.id })).body).toEqual({ ...d, name: 'Renamed', tags: ['x'], version: 2 })
    expect(await platform.eventTypesOf(a.id)).toEqual(['product.created', 'product.updated'])
    expect(await platform.eventTypesOf(b.id)).toEqual(['product.created'])
    expect(await platform.eventTypesOf(foreign.id)).toEqual(['product.created'])
  })

  it('lets two products exchange a free SKU in one call', async () => {
    const [a, b] = await some(2)
    const { body } = await member.rest.productBulkUpdate!({
      body: {
        items: [
          { id: a.id, sku: `${a.sku}-old` },
          { id: b.id, sku: a.sku },
        ],
      },
    })
    expect(body.succeeded).toBe(2)
  })

  it('applies two changes of one product in the order of the request', async () => {
    const [{ id }] = (await some(1)) as [{ id: string }]
    const items = [
      { id, name: 'First' },
      { id: id.toUpperCase(), name: 'Second' },
    ]
    expect((await member.rest.productBulkUpdate!({ body: { items } })).body.succeeded).toBe(2)
    expect((await member.rest.product!({ id })).body).toMatchObject({ name: 'Second', version: 3 })
  })

  it.each<[string, unknown]>([
    ['no items', { items: [] }],
    ['501 items', { items: Array.from({ length: 501 }, () => ({ id: newId() })) }],
    ['an item without an id', { items: [{ name: 'X' }] }],
    ['an unknown field', { items: [{ id: newId(), color: 'red' }] }],
    ['a field that is read-only', { items: [{ id: newId(), version: 1 }] }],
    ['a value that does not fit', { items: [{ id: newId(), listPrice: -1 }] }],
    ['something else', []],
  ])('refuses %s as a whole with 400', async (_, body) => {
    const answer = await unchanged(platform, () => member.rest.productBulkUpdate!({ body }))
    expect(answer.status).toBe(400)
  })
})

describe('productBulkDelete', () => {
  it('deletes 500 products, and refuses 501', async () => {
    const ids = (await some(3)).map(({ id }) => id as string)
    const nobody = Array.from({ length: 497 }, newId)
    const many = [...nobody.slice(0, 200), ...ids, ...nobody.slice(200)]
    expect(
      (await unchanged(platform, () => member.rest.productBulkDelete!({ body: { ids: [...many, newId()] } }))).status,
    ).toBe(400)

    const { status, body } = await member.rest.productBulkDelete!({ body: { ids: many } })
    expect([status, body.requested, body.succeeded, body.failed]).toEqual([200, 500, 3, 497])
    expect(body.results.map(({ id }: { id: string }) => id)).toEqual(many)
    expect(body.results.slice(199, 204).map(({ status: done }: { status: string }) => done)).toEqual([
      'FAILED',
      'DELETED',
      'DELETED',
      'DELETED',
      'FAILED',
    ])
    for (const id of ids) expect(await platform.eventTypesOf(id)).toEqual(['product.created', 'product.deleted'])
  })

  it.each<[string, (id: string) => string[]]>([
    ['alike', (id) => [id, id]],
    ['the second time in upper case', (id) => [id, id.toUpperCase()]],
    ['the first time in upper case', (id) => [id.toUpperCase(), id]],
  ])('reports an id that is listed twice, %s', async (_, twice) => {
    const [{ id }] = (await some(1)) as [{ id: string }]
    const { body } = await member.rest.productBulkDelete!({ body: { ids: twice(id) } })
    expect(body.results.map(({ status, code }: Record<string, unknown>) => [status, code])).toEqual([
      ['DELETED', null],
      ['FAILED', 'NOT_FOUND'],
    ])
  })
})
