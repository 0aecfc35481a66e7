import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import { supportCase } from '../../support/case/case.record.ts'
import { exactNumber } from '../json/exact-number.ts'
import { newId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import { columnKinds } from './column-kind.ts'
import { readConnection } from './connection.ts'
import type { CustomFieldDefinition } from './custom-field-column.ts'
import { CustomFieldsFixture, pageOf } from './custom-fields.fixture.ts'
import { average, averageTime, count, countBy, sum } from './aggregates.ts'
import type { OrderInput } from './order.ts'
import { readBy } from './read.ts'
import { save } from './save.ts'
import { shapeFor } from './shape-source.ts'
import { figures } from './stats.ts'

const fixture = new CustomFieldsFixture()
const acme = newId()
const other = newId()

const fields: readonly CustomFieldDefinition[] = [
  { name: 'nickname', kind: 'text', searchable: true },
  { name: 'margin', kind: 'money' },
  { name: 'loyal', kind: 'boolean' },
  { name: 'renewalAt', kind: 'timestamp' },
  { name: 'foundedOn', kind: 'date' },
  { name: 'tier', kind: 'enum', members: ['HOT', 'WARM', 'COLD'] },
  { name: 'regions', kind: 'textList' },
]

/** Table columns with the same values, so that a filter on either must find the same records. */
const equivalentColumns: Readonly<Record<string, string>> = {
  nickname: 'region',
  margin: 'annualRevenue',
  renewalAt: 'lastActivityDate',
  tier: 'rating',
  regions: 'techStack',
}

const large = exactNumber('123456789012345.125')
const [new2027, june] = ['2027-01-01T00:00:00.000Z', '2027-06-01T12:30:00.000Z']

/** `none` has no custom fields. `wrong` has values of other types, stored before the fields were defined. */
const records = {
  one: {
    nickname: 'North 50%',
    margin: 10,
    loyal: true,
    renewalAt: new2027,
    foundedOn: '1999-12-31',
    tier: 'HOT',
    regions: ['emea', 'apac'],
  },
  two: {
    nickname: 'north_star',
    margin: 10.25,
    loyal: false,
    renewalAt: june,
    foundedOn: '2000-02-29',
    tier: 'WARM',
    regions: ['emea'],
  },
  three: { nickname: 'South', margin: large, loyal: true, renewalAt: new2027, tier: 'COLD', regions: [] },
  none: {},
  wrong: {
    nickname: 5,
    margin: 'abc',
    loyal: 'yes',
    renewalAt: '2027-02-31T00:00:00Z',
    foundedOn: 'soon',
    tier: { a: 1 },
    regions: 'emea',
    color: 'red',
  },
}

const everyone = Object.keys(records).sort()
let ctx: RequestContext

async function create(context: RequestContext, name: string, customFields: Readonly<Record<string, unknown>>) {
  const equivalent = Object.entries(equivalentColumns).flatMap(([field, column]) =>
    name === 'wrong' || customFields[field] === undefined ? [] : [[column, customFields[field]]],
  )
  const values = { name, customFields, isStrategic: customFields.loyal === true, ...Object.fromEntries(equivalent) }
  await save(context, account, { operation: 'CREATE', previous: null, values })
}

beforeAll(async () => {
  await fixture.open()
  // These records are created before any field is defined.
  await create(fixture.context(acme), 'wrong', records.wrong)
  await create(fixture.context(other), 'elsewhere', records.one)
  fixture.definitions.define(acme, { account: fields })
  ctx = fixture.context(acme)
  for (const [name, values] of Object.entries(records)) if (name !== 'wrong') await create(ctx, name, values)
})
afterAll(() => fixture.close())

const byName = [{ field: 'name', direction: 'ASC' }]
const find = async (filter: object) => (await pageOf(ctx, account, { filter: { ...filter }, orderBy: byName })).names
const findBy = (customFields: object) => find({ customFields })

describe('a filter on a custom field', () => {
  it.each([
    ['nickname', 'eq', 'South', 'three'],
    ['nickname', 'ne', 'South', 'none one two wrong'],
    ['nickname', 'in', ['South', 'north_star', 'x'], 'three two'],
    ['nickname', 'notIn', ['South', 'north_star'], 'none one wrong'],
    ['nickname', 'contains', 'NORTH', 'one two'],
    ['nickname', 'contains', '%', 'one'],
    ['nickname', 'startsWith', 'north_', 'two'],
    ['nickname', 'endsWith', 'TH', 'three'],
    ['nickname', 'isNull', true, 'none wrong'],
    ['nickname', 'isNull', false, 'one three two'],
    ['margin', 'eq', 10.25, 'two'],
    ['margin', 'eq', large, 'three'],
    ['margin', 'eq', exactNumber('123456789012345.12'), ''],
    ['margin', 'ne', 10, 'none three two wrong'],
    ['margin', 'in', [10, large], 'one three'],
    ['margin', 'notIn', [10, 11], 'none three two wrong'],
    ['margin', 'gt', 10, 'three two'],
    ['margin', 'gte', 10, 'one three two'],
    ['margin', 'lt', 10.25, 'one'],
    ['margin', 'lte', 10.25, 'one two'],
    ['margin', 'isNull', true, 'none wrong'],
    ['margin', 'isNull', false, 'one three two'],
    ['loyal', 'eq', true, 'one three'],
    ['loyal', 'ne', true, 'none two wrong'],
    ['loyal', 'isNull', true, 'none wrong'],
    ['loyal', 'isNull', false, 'one three two'],
    ['renewalAt', 'eq', new2027, 'one three'],
    ['renewalAt', 'ne', new2027, 'none two wrong'],
    ['renewalAt', 'in', [new2027, june], 'one three two'],
    ['renewalAt', 'notIn', [june], 'none one three wrong'],
    ['renewalAt', 'gt', new2027, 'two'],
    ['renewalAt', 'gte', june, 'two'],
    ['renewalAt', 'lt', june, 'one three'],
    ['renewalAt', 'lte', june, 'one three two'],
    ['renewalAt', 'isNull', true, 'none wrong'],
    ['renewalAt', 'isNull', false, 'one three two'],
    ['foundedOn', 'eq', '2000-02-29', 'two'],
    ['foundedOn', 'ne', '2000-02-29', 'none one three wrong'],
    ['foundedOn', 'in', ['2000-02-29', '1999-12-31'], 'one two'],
    ['foundedOn', 'notIn', ['2000-02-29'], 'none one three wrong'],
    ['foundedOn', 'gt', '1999-12-31', 'two'],
    ['foundedOn', 'gte', '1999-12-31', 'one two'],
    ['foundedOn', 'lt', '2000-01-01', 'one'],
    ['foundedOn', 'lte', '2000-02-29', 'one two'],
    ['foundedOn', 'isNull', true, 'none three wrong'],
    ['foundedOn', 'isNull', false, 'one two'],
    ['tier', 'eq', 'HOT', 'one'],
    ['tier', 'ne', 'HOT', 'none three two wrong'],
    ['tier', 'in', ['HOT', 'COLD'], 'one three'],
    ['tier', 'notIn', ['HOT', 'COLD'], 'none two wrong'],
    ['tier', 'isNull', true, 'none wrong'],
    ['tier', 'isNull', false, 'one three two'],
    ['regions', 'has', 'apac', 'one'],
    ['regions', 'hasAny', ['apac', 'emea'], 'one two'],
    ['regions', 'hasAll', ['apac', 'emea'], 'one'],
    ['regions', 'isEmpty', true, 'none three wrong'],
    ['regions', 'isEmpty', false, 'one two'],
  ])('%s %s %j finds %j, like a table column does', async (field, operator, operand, found) => {
    const names = found === '' ? [] : found.split(' ')
    expect(await findBy({ [field]: { [operator]: operand } })).toEqual(names)
    const equivalent = equivalentColumns[field]
    if (equivalent) expect(await find({ [equivalent]: { [operator]: operand } })).toEqual(names)
  })

  it.each([
    [{ margin: 10.25 }, ['two']],
    [{ margin: { gt: 5, lt: 11 }, loyal: { ne: false } }, ['one']],
    [{ margin: null }, ['none', 'wrong']],
    [{ regions: null }, ['none', 'three', 'wrong']],
    [{ regions: ['emea'] }, ['one', 'two']],
    [{ regions: 'apac' }, ['one']],
    [{ renewalAt: '2027-01-01T01:00:00+01:00' }, ['one', 'three']],
    [{ loyal: false }, ['two']],
    [{ margin: {} }, everyone],
    // Query parameters of a URL are text.
    [{ margin: '10.25' }, ['two']],
    [{ loyal: 'false' }, ['two']],
    // Fields without a definition are compared for equality.
    [{ color: 'red' }, ['wrong']],
    [{ color: 'red', margin: null }, ['wrong']],
    [{ color: null, margin: { isNull: true } }, ['none']],
    [{}, everyone],
  ])('treats plain values as equality: %j', async (customFields, names) => {
    expect(await findBy(customFields)).toEqual(names)
  })

  it('combines with not, or, and, and related records', async () => {
    const rich = { customFields: { margin: { gt: 10 } } }
    expect(await find({ not: rich })).toEqual(['none', 'one', 'wrong'])
    expect(await find({ or: [rich, { name: { eq: 'one' } }] })).toEqual(['one', 'three', 'two'])
    expect(await find({ and: [rich, { name: { ne: 'two' } }] })).toEqual(['three'])
    const child = {
      name: 'child',
      parentAccountId: (await pageOf(ctx, account, { filter: { name: { eq: 'one' } } })).data[0]!.id,
    }
    await save(ctx, account, { operation: 'CREATE', previous: null, values: child as { name: string } })
    expect(await find({ parent: { customFields: { tier: 'HOT' } } })).toEqual(['child'])
    expect(await find({ children: { some: { customFields: { tier: null } } } })).toEqual(['one'])
    await fixture.fresh.database.query(`delete from crm.account where name = 'child'`)
  })

  it.each([
    ['margin', { eq: 'many' }, 'filter.customFields.margin.eq', 'WRONG_TYPE'],
    ['margin', { in: [1, null] }, 'filter.customFields.margin.in', 'WRONG_TYPE'],
    ['margin', { isNull: 'yes' }, 'filter.customFields.margin.isNull', 'WRONG_TYPE'],
    ['margin', { contains: '1' }, 'filter.customFields.margin.contains', 'UNKNOWN_OPERATOR'],
    ['margin', { toString: 1 }, 'filter.customFields.margin.toString', 'UNKNOWN_OPERATOR'],
    ['margin', [1], 'filter.customFields.margin.eq', 'WRONG_TYPE'],
    ['tier', 'LUKEWARM', 'filter.customFields.tier.eq', 'WRONG_TYPE'],
    ['renewalAt', { gt: '2027-02-31' }, 'filter.customFields.renewalAt.gt', 'WRONG_TYPE'],
    ['foundedOn', { gt: '2027-01-01T00:00:00Z' }, 'filter.customFields.foundedOn.gt', 'WRONG_TYPE'],
    ['regions', { eq: ['emea'] }, 'filter.customFields.regions.eq', 'UNKNOWN_OPERATOR'],
    ['nickname', { eq: 'a\0' }, 'filter.customFields.nickname.eq', 'NOT_TEXT'],
    ['nickname', { in: Array.from({ length: 501 }, () => 'a') }, 'filter.customFields.nickname.in', 'TOO_MANY'],
  ])('on %s with %j is refused', async (field, condition, path, code) => {
    await expect(findBy({ [field]: condition })).rejects.toMatchObject({ extensions: { errors: [{ path, code }] } })
  })

  it('has at most 100 conditions', async () => {
    const or = Array.from({ length: 50 }, () => ({ customFields: { margin: { gt: 1, lt: 2 } } }))
    await expect(find({ or })).resolves.toEqual([])
    await expect(find({ or: [...or, { customFields: { loyal: true } }] })).rejects.toMatchObject({
      extensions: { errors: [{ path: 'filter.or.50.customFields.loyal.eq', code: 'TOO_MANY' }] },
    })
  })

  it('in another organization compares for equality, because nothing is defined there', async () => {
    const elsewhere = fixture.context(other)
    const found = async (customFields: object) => (await pageOf(elsewhere, account, { filter: { customFields } })).names
    expect(await found({ margin: 10 })).toEqual(['elsewhere'])
    expect(await found({ margin: { gt: 5 } })).toEqual([])
  })
})

describe('an order by a custom field', () => {
  const inOrder = async (field: string, direction: string, limit: number): Promise<unknown[]> => {
    const orderBy: OrderInput[] = [
      { field: `customFields.${field}`, direction },
      { field: 'name', direction: 'ASC' },
    ]
    const names: unknown[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(ctx, account, { orderBy, limit, cursor })
      expect(page.total).toBe(5)
      names.push(...page.names)
      cursor = page.nextCursor
    } while (cursor)
    return names
  }

  it.each([
    ['nickname', 'ASC', 'one three two none wrong'],
    ['nickname', 'DESC', 'two three one none wrong'],
    ['margin', 'ASC', 'one two three none wrong'],
    ['margin', 'DESC', 'three two one none wrong'],
    ['loyal', 'ASC', 'two one three none wrong'],
    ['renewalAt', 'ASC', 'one three two none wrong'],
    ['renewalAt', 'DESC', 'two one three none wrong'],
    ['foundedOn', 'DESC', 'two one none three wrong'],
    ['tier', 'ASC', 'three one two none wrong'],
  ])('%s %s returns missing values last, with every page size', async (field, direction, order) => {
    for (const limit of [1, 2, 3, 100]) expect(await inOrder(field, direction, limit)).toEqual(order.split(' '))
  })

  it('creates cursors for connections', async () => {
    const orderBy = [{ field: 'customFields.margin', direction: 'DESC' }]
    const asked = { record: new Set(['name']), total: true }
    const first = await readConnection(ctx, account, { orderBy, first: 2 }, asked)
    expect([first.nodes.map(({ name }) => name), first.totalCount]).toEqual([['three', 'two'], 5])
    const after = first.pageInfo.endCursor
    const rest = await readConnection(ctx, account, { orderBy, first: 1, after }, asked)
    expect(rest.nodes.map(({ name }) => name)).toEqual(['one'])
  })

  it('works with a name of 64 characters', async () => {
    const name = 'a'.repeat(64)
    const organization = newId()
    fixture.definitions.define(organization, { account: [{ name, kind: 'text' }] })
    const own = fixture.context(organization)
    for (const value of ['y', 'x']) await create(own, value, { [name]: value })
    const orderBy = [{ field: `customFields.${name}`, direction: 'ASC' }]
    const { names, nextCursor } = await pageOf(own, account, { orderBy, limit: 1 })
    expect(names).toEqual(['x'])
    expect((await pageOf(own, account, { orderBy, limit: 1, cursor: nextCursor })).names).toEqual(['y'])
  })

  it.each(['customFields.regions', 'customFields.unknown', 'customFields'])('by %s is refused', async (field) => {
    await expect(pageOf(ctx, account, { orderBy: [{ field }] })).rejects.toMatchObject({
      extensions: { errors: [{ path: 'orderBy', code: 'NOT_SORTABLE' }] },
    })
  })

  it('refuses a cursor with a value of another type', async () => {
    const cursor = Buffer.from(JSON.stringify(['customFields.margin-,id-', 'abc', newId()])).toString('base64url')
    await expect(pageOf(ctx, account, { orderBy: [{ field: 'customFields.margin' }], cursor })).rejects.toMatchObject({
      extensions: { errors: [{ path: 'cursor', code: 'NOT_A_CURSOR' }] },
    })
  })
})

describe('a custom field', () => {
  it('is searched when its definition is searchable', async () => {
    expect((await pageOf(ctx, account, { search: '50%', orderBy: byName })).names).toEqual(['one'])
    expect((await pageOf(fixture.context(other), account, { search: '50%' })).names).toEqual([])
  })

  it('finds one record by its value', async () => {
    expect(await readBy(ctx, account, 'customFields.nickname', 'South', new Set(['name']))).toMatchObject({
      name: 'three',
    })
    await expect(readBy(ctx, account, 'customFields.nickname', 'West')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is returned as it was stored, with any type', async () => {
    const { data } = await pageOf(ctx, account, { orderBy: byName })
    expect(Object.fromEntries(data.map(({ name, customFields }) => [name, customFields]))).toEqual(records)
  })

  it('can be aggregated', async () => {
    const aggregates = await figures(ctx, account, {
      total: count(),
      loyal: count({ 'customFields.loyal': true }),
      rich: count({ 'customFields.margin': { gt: 10 }, isStrategic: true }),
      margin: sum('customFields.margin'),
      averageMargin: average('customFields.margin', 2),
      hours: averageTime('customFields.renewalAt', 'customFields.renewalAt', 'hours', 1),
    })
    expect(aggregates).toEqual({
      total: 5,
      loyal: 2,
      rich: 1,
      margin: exactNumber('123456789012365.375'),
      averageMargin: exactNumber('41152263004121.79'),
      hours: 0,
    })
  })

  it('is counted by its values', async () => {
    const columns = {
      tiers: countBy<Account>('customFields.tier'),
      loyal: countBy<Account>('customFields.loyal'),
      founded: countBy<Account>('customFields.foundedOn'),
    }
    expect(await figures(ctx, account, { ...columns, types: countBy<Account>('type') })).toEqual({
      tiers: { HOT: 1, WARM: 1, COLD: 1 },
      loyal: { true: 2, false: 1 },
      founded: { '1999-12-31': 1, '2000-02-29': 1 },
      types: { PROSPECT: 0, CUSTOMER: 0, PARTNER: 0, RESELLER: 0, COMPETITOR: 0, OTHER: 0 },
    })
  })

  it('can have an index, which an order by it uses', async () => {
    const { columns } = shapeFor(ctx, account)
    for (const column of columns.customFields.values())
      await fixture.fresh.database.query(
        `create index "by_${column.key!}" on crm.account (organization_id, ${column.sql('account')}, id)`,
      )
    const plan = await fixture.fresh.database.transaction(async (sql) => {
      await sql.query('set local enable_sort = off')
      return sql.query<Record<string, string>>(
        `explain select id from crm.account t where organization_id = $1 order by ${columns.byName.get('customFields.renewalAt')!.sql('t')}, id limit 2`,
        [acme],
      )
    })
    expect(JSON.stringify(plan)).toContain('by_renewalAt')
    for (const key of columns.customFields.keys()) await fixture.fresh.database.query(`drop index crm."by_${key}"`)
  })

  it('of accounts does not exist on other records', async () => {
    const filter = { customFields: { margin: { gt: 1 } } }
    expect((await pageOf(ctx, supportCase, { filter })).names).toEqual([])
  })
})

describe('a custom field that the profile hides', () => {
  const hidden = () => fixture.context(acme, { fields: { account: { 'customFields.margin': 'HIDDEN' } } })
  const allHidden = () => fixture.context(acme, { fields: { account: { customFields: 'HIDDEN' } } })
  const code = 'FIELD_NOT_READABLE'

  it('is absent from records and from aggregates', async () => {
    const { data } = await pageOf(hidden(), account, { filter: { name: { eq: 'one' } } })
    const { margin: _margin, ...rest } = records.one
    expect(data[0]!.customFields).toEqual(rest)
    for (const context of [hidden(), allHidden()]) {
      const aggregates = await figures(context, account, {
        total: count(),
        margin: sum('customFields.margin'),
        rich: count({ 'customFields.margin': { gt: 10 } }),
      })
      expect(aggregates).toEqual({ total: 5, margin: null, rich: null })
      expect(await figures(context, account, { margin: countBy<Account>('customFields.margin') })).toEqual({
        margin: null,
      })
    }
  })

  it('is not searched', async () => {
    const fields = { account: { 'customFields.nickname': 'HIDDEN' } } as const
    expect((await pageOf(fixture.context(acme, { fields }), account, { search: '50%' })).names).toEqual([])
    expect((await pageOf(allHidden(), account, { search: '50%' })).names).toEqual([])
  })

  it.each([
    [{ filter: { customFields: { margin: { gt: 1 } } } }, hidden],
    [{ filter: { customFields: { margin: {} } } }, hidden],
    [{ filter: { parent: { customFields: { margin: null } } } }, hidden],
    [{ filter: { customFields: { nickname: 'South' } } }, allHidden],
    [{ orderBy: [{ field: 'customFields.margin' }] }, hidden],
    [{ orderBy: [{ field: 'customFields.margin' }] }, allHidden],
  ])('cannot be filtered or ordered by: %j', async (args, context) => {
    await expect(pageOf(context(), account, args)).rejects.toMatchObject({ code })
  })

  it('does not restrict the other fields', async () => {
    const args = {
      filter: { customFields: { nickname: { startsWith: 'n' } } },
      orderBy: [{ field: 'customFields.tier' }],
    }
    expect((await pageOf(hidden(), account, args)).names).toEqual(['two', 'one'])
  })
})

describe('values that were stored before a field was defined', () => {
  const unusual: readonly unknown[] = [
    'text',
    '',
    0,
    -1e300,
    exactNumber('9'.repeat(300)),
    true,
    [],
    [1, null, ['a'], { b: 1 }],
    {},
    { a: [] },
    '2027-02-29',
    '0000-01-01',
    '1900-02-29',
    '9999-12-31',
    '2024-02-29',
    '20270101',
    'infinity',
    'now',
    '2027-01-01T24:00:00Z',
    '2027-01-01T23:59:60Z',
    '2027-01-01T00:00:00',
    '2027-01-01T00:00:00+99:00',
    '9999-12-31T23:59:59.999-14:59',
    '10000-01-01T00:00:00Z',
  ]
  const kinds = ['text', 'enum', 'money', 'boolean', 'timestamp', 'date', 'textList'] as const
  const operands: Readonly<Record<string, unknown>> = {
    text: 'text',
    enum: 'text',
    money: 0,
    boolean: true,
    timestamp: '2027-01-01T00:00:00.000Z',
    date: '2027-01-01',
    textList: 'a',
  }

  it('never make a statement fail, with any later definition', async () => {
    const organization = newId()
    const before = fixture.context(organization)
    for (const [index, value] of unusual.entries()) {
      const values = { name: `unusual ${index}`, customFields: { field: value } }
      await save(before, account, { operation: 'CREATE', previous: null, values: values as { name: string } })
    }
    for (const kind of kinds) {
      fixture.definitions.define(organization, {
        account: [{ name: 'field', kind, members: ['text'], searchable: true }],
      })
      const own = fixture.context(organization)
      for (const operator of columnKinds[kind].operators) {
        const isList = ['in', 'notIn', 'hasAny', 'hasAll'].includes(operator)
        const operand = operator.startsWith('is') ? false : isList ? [operands[kind]] : operands[kind]
        await pageOf(own, account, { filter: { customFields: { field: { [operator]: operand } } }, search: 'a' })
      }
      if (kind !== 'textList')
        expect((await pageOf(own, account, { orderBy: [{ field: 'customFields.field' }] })).total).toBe(unusual.length)
      await figures(own, account, { field: countBy<Account>('customFields.field') })
    }
  })

  it('are dates and timestamps exactly when they are valid', async () => {
    const organization = newId()
    const days = [
      '2024-02-29',
      '2023-02-29',
      '1900-02-29',
      '2000-02-29',
      '0000-02-29',
      '0001-01-01',
      '9999-12-31',
      '2027-04-31',
      '2027-13-01',
      '2027-12-00',
    ]
    const timestamps = [
      '2027-04-30T23:59:59Z',
      '2027-04-30T24:00:00Z',
      '2027-04-30T10:00+05:30',
      '2027-04-30T10:00:60Z',
      '2027-04-30 10:00:00Z',
      '2027-04-30T10:00',
    ]
    for (const [index, value] of [...days, ...timestamps].entries())
      await save(fixture.context(organization), account, {
        operation: 'CREATE',
        previous: null,
        values: { name: `day ${index}`, customFields: { field: value } },
      })
    const valid = async (kind: 'date' | 'timestamp') => {
      fixture.definitions.define(organization, { account: [{ name: 'field', kind }] })
      const filter = { customFields: { field: { isNull: false } } }
      const { data } = await pageOf(fixture.context(organization), account, {
        filter,
        orderBy: [{ field: 'customFields.field', direction: 'ASC' }],
      })
      return data.map(({ customFields }) => (customFields as { field: unknown }).field)
    }
    expect(await valid('date')).toEqual(['0001-01-01', '2000-02-29', '2024-02-29', '9999-12-31'])
    expect(await valid('timestamp')).toEqual(['2027-04-30T10:00+05:30', '2027-04-30T23:59:59Z'])
  })
})
