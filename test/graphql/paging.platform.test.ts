import { readFileSync } from 'node:fs'
import { parse } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { account, each, product, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

type Fields = Record<string, string | number | boolean | null>
interface Direction {
  readonly direction: 'ASC' | 'DESC'
}

/** The sortable columns of a list, from the committed schema. */
function orderFieldsOf(type: string): string[] {
  const supergraph = parse(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
  const found = supergraph.definitions.find(
    (node) => node.kind === 'EnumTypeDefinition' && node.name.value === `${type}OrderField`,
  )
  return found?.kind === 'EnumTypeDefinition' ? (found.values ?? []).map(({ name }) => name.value) : []
}

/** Null values come last in both directions; equal values are ordered by id in the same direction. */
function inOrder(rows: readonly Fields[], field: string, { direction }: Direction): unknown[] {
  const sign = direction === 'ASC' ? 1 : -1
  const compare = (a: Fields[string], b: Fields[string]) =>
    a === b ? 0 : a === null ? sign : b === null ? -sign : a! < b! ? -1 : 1
  return [...rows].sort((a, b) => sign * (compare(a[field]!, b[field]!) || compare(a.id!, b.id!))).map(({ id }) => id)
}

interface Kind {
  readonly type: string
  readonly root: string
  readonly make: (member: Member, index: number) => Promise<{ id: string }>
  readonly change: (member: Member, id: string) => Promise<unknown>
}

const pick = <T>(index: number, ...choices: T[]): T => choices[index % choices.length]!
const count = 13

const kinds: Kind[] = [
  {
    type: 'Account',
    root: 'account',
    make: (member, index) =>
      account(member, {
        name: pick(index, 'Same', 'same', 'Älter', 'Zoo'),
        ...Object.fromEntries(
          [
            'industry',
            'website',
            'domain',
            'phone',
            'fax',
            'description',
            'legacyCrmId',
            'tier',
            'region',
            'billingStreet',
            'billingCity',
            'billingState',
            'billingPostalCode',
            'billingCountry',
            'shippingStreet',
            'shippingCity',
            'shippingState',
            'shippingPostalCode',
            'shippingCountry',
          ].map((name, at) => [name, pick(index + at, null, 'a', 'B', 'a', null, '😀', 'b%')]),
        ),
        externalId: pick(index, null, `a${index}`, `B${index}`, `😀${index}`),
        type: pick(index, null, 'CUSTOMER', 'PARTNER'),
        rating: pick(index, 'HOT', null, 'COLD', null),
        churnRisk: pick(index, null, 'LOW'),
        accountStatus: pick(index, 'ACTIVE', 'CHURNED'),
        isStrategic: pick(index, true, false, false),
        numberOfEmployees: pick(index, 10, 9, null, 100),
        annualRevenue: pick(index, 0.1, 0.30000000000000004, null, 1e15, -5),
        lifetimeValue: pick(index, null, 123456789.123456, 2),
        healthScore: pick(index, 33.333333333333336, null, 1e-7, 7),
        lastActivityDate: pick(index, null, '2027-01-01T00:00:00.001Z', '2026-12-31'),
        nextActivityDate: pick(index, '2027-01-01', '2027-01-01'),
      }),
    change: (member, id) => member.rest.accountUpdate!({ id, body: { name: 'Zoo' } }),
  },
  {
    type: 'Case',
    root: 'case',
    make: (member, index) =>
      supportCase(member, {
        subject: pick(index, 'Same', 'same', 'Other'),
        description: pick(index, null, 'x', 'y'),
        status: pick(index, 'NEW', 'ESCALATED', 'RESOLVED', 'CLOSED'),
        priority: pick(index, 'LOW', 'URGENT'),
        type: pick(index, 'BILLING', 'INCIDENT', 'OTHER'),
        origin: pick(index, 'WEB', 'CHAT'),
        externalId: pick(index, null, `${index}`, `${index}0`),
        assignedToId: pick(index, null, member.userId),
        slaDueAt: pick(index, '2027-05-01', '2027-04-01', '2027-05-01'),
      }),
    change: (member, id) => member.rest.caseSetStatus!({ id, body: { status: 'OPEN' } }),
  },
  {
    type: 'Product',
    root: 'product',
    make: (member, index) =>
      product(member, {
        name: pick(index, 'Same', 'same', 'Other'),
        type: pick(index, 'BUNDLE', 'LICENSE'),
        category: pick(index, 'OTHER', 'SUPPORT'),
        listPrice: pick(index, 0, 0.1, 100, 20),
        unitPrice: pick(index, null, 0.7, 0.07),
        costPrice: pick(index, null, null, 3),
        currency: pick(index, 'USD', 'EUR'),
        billingFrequency: pick(index, 'ANNUAL', 'MONTHLY'),
        isActive: pick(index, true, false),
        description: pick(index, null, 'x'),
        externalId: pick(index, `b${index}`, null),
      }),
    change: (member, id) => member.rest.productUpdate!({ id, body: { isActive: false } }),
  },
]

const directions: Direction[] = [{ direction: 'ASC' }, { direction: 'DESC' }]
const limit = 5

describe.each(kinds)('$root list and connection', ({ type, root, make, change }) => {
  const fields = orderFieldsOf(type)
  let rows: Fields[]

  async function read(document: string, variables: object) {
    const { body } = await member.graphql(document, variables)
    expect(body.errors).toBe(undefined)
    return body.data.list
  }
  const list = `query ($orderBy: [${type}Order!], $page: Int! = 1, $limit: Int! = 100, $cursor: String) {
    list: ${root}List(orderBy: $orderBy, page: $page, limit: $limit, cursor: $cursor) { data { id ${fields.filter((name) => name !== 'id').join(' ')} } total hasMore nextCursor } }`
  const connection = `query ($orderBy: [${type}Order!], $first: Int! = 100, $after: String) {
    list: ${root}Connection(orderBy: $orderBy, first: $first, after: $after) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`

  beforeAll(async () => {
    const made = await each(
      Array.from({ length: count }, (_, index) => index),
      (index) => {
        if (index % 3 === 0) platform.advanceClock(1000)
        return make(member, index)
      },
    )
    for (const { id } of made.slice(0, 4)) await change(member, id)
    rows = (await read(list, {})).data
  })

  it('can be sorted by every column with an index', () => {
    expect(rows.length).toBe(count)
    expect(fields.length).toBe({ Account: 26, Case: 20, Product: 15 }[type])
  })

  it.each(fields)('keeps the order by %s over pages and cursors, including ties and null values', async (field) => {
    for (const order of directions) {
      const orderBy = [{ field, ...order }]
      const expected = inOrder(rows, field, order)

      const byPage: unknown[] = []
      for (let page = 1; page <= Math.ceil(count / limit); page++) {
        const { data, hasMore } = await read(list, { orderBy, page, limit })
        byPage.push(...data.map(({ id }: Fields) => id))
        expect(hasMore).toBe(byPage.length < count)
      }
      expect(byPage).toEqual(expected)

      const byCursor: unknown[] = []
      for (let cursor: string | null = null, more = true; more;) {
        const page: { data: Fields[]; nextCursor: string | null } = await read(list, { orderBy, limit, cursor })
        byCursor.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
        more = cursor !== null
      }
      expect(byCursor).toEqual(expected)

      const { edges } = await read(connection, { orderBy })
      const at = edges[6].cursor
      expect(
        (await read(connection, { orderBy, after: at })).edges.map(({ node }: { node: Fields }) => node.id),
      ).toEqual(expected.slice(7))
    }
  })

  it('reports the first and last page of a connection', async () => {
    const first = await read(connection, { first: 7 })
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: first.edges[0].cursor,
      endCursor: first.edges[6].cursor,
    })
    const last = await read(connection, { first: 7, after: first.pageInfo.endCursor })
    expect(last.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: last.edges[0].cursor,
      endCursor: last.edges[5].cursor,
    })
    const none = await read(connection, { after: last.pageInfo.endCursor })
    expect([none.edges, none.pageInfo]).toEqual([
      [],
      { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    ])
  })
})

describe('accountList by cursor', () => {
  const page = async (who: Member, variables: object) =>
    (
      await who.graphql(
        `query ($orderBy: [AccountOrder!], $cursor: String, $filter: AccountFilter) {
          accountList(orderBy: $orderBy, cursor: $cursor, limit: 3, filter: $filter) { data { id name } nextCursor } }`,
        variables,
      )
    ).body

  it.each([
    ['rating', 'ASC'],
    ['rating', 'DESC'],
    ['name', 'ASC'],
    ['createdAt', 'DESC'],
  ])('by %s %s neither repeats nor loses a row while others come and go', async (field, direction) => {
    const who = await platform.member({ organizationId: await platform.organization('Walk') })
    const shape = (index: number) => ({
      name: pick(index, 'b', 'b', 'a'),
      rating: pick(index, 'HOT', null, 'COLD', null),
    })
    const there = (await each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], (index) => account(who, shape(index)))).map(
      ({ id }) => id as string,
    )
    const seen: string[] = []
    const gone = new Set<string>()
    let cursor: string | null = null
    do {
      const { data } = await page(who, { orderBy: [{ field, direction }], cursor })
      const found = data.accountList.data.map(({ id }: { id: string }) => id)
      seen.push(...found)
      cursor = data.accountList.nextCursor
      const read = found.find((id: string) => there.includes(id))
      if (read) {
        await who.rest.accountDelete!({ id: read })
        gone.add(read)
      }
      if (seen.length < 20) for (const index of [0, 1, 2]) await account(who, shape(index))
    } while (cursor)

    expect(new Set(seen).size).toBe(seen.length)
    expect(there.filter((id) => !seen.includes(id))).toEqual([])
    expect(gone.size).not.toBe(0)
  })

  it('sorts by several columns', async () => {
    const who = await platform.member({ organizationId: await platform.organization('Several') })
    await each(['b1', 'a2', 'b2', 'a1', 'c1'], ([name, tier]) => account(who, { name, tier }))
    const orderBy = [
      { field: 'tier', direction: 'DESC' },
      { field: 'name', direction: 'ASC' },
      { field: 'tier', direction: 'ASC' },
    ]
    const first = await page(who, { orderBy })
    const second = await page(who, { orderBy, cursor: first.data.accountList.nextCursor })
    expect(
      [first, second].flatMap(({ data }) => data.accountList.data.map(({ name }: { name: string }) => name)),
    ).toEqual(['a', 'b', 'a', 'b', 'c'])
  })

  const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

  it.each<[string, string]>([
    ['of another order', forged('name+,id+', 'x', '01a1fbfa-abdc-72ed-9e45-aa52d7b84d65')],
    ['that is not JSON', Buffer.from('{').toString('base64url')],
    ['that is too short', forged('createdAt-,id-')],
    ['with an invalid time', forged('createdAt-,id-', 'yesterday', '01a1fbfa-abdc-72ed-9e45-aa52d7b84d65')],
    [
      'with an impossible time',
      forged('createdAt-,id-', '2027-13-45T99:00:00.000Z', '01a1fbfa-abdc-72ed-9e45-aa52d7b84d65'),
    ],
    ['with a wrong id', forged('createdAt-,id-', '2027-01-01T00:00:00.000Z', '------------------------------------')],
    ['without a time', forged('createdAt-,id-', null, '01a1fbfa-abdc-72ed-9e45-aa52d7b84d65')],
    ['with an object', forged('createdAt-,id-', {}, [])],
  ])('refuses a cursor %s', async (_, cursor) => {
    const { errors } = await page(member, { cursor })
    expect([errors[0].extensions.code, errors[0].extensions.errors[0].path]).toEqual(['VALIDATION_FAILED', 'cursor'])
  })

  it.each([
    ['accountConnection(after: "x") { totalCount }', 'after'],
    ['accountList(cursor: "x") { total }', 'cursor'],
    ['accountList(limit: 0) { total }', 'limit'],
    ['accountList(limit: 101) { total }', 'limit'],
    ['accountList(page: 0) { total }', 'page'],
    ['accountList(page: 1000000000) { total }', 'page'],
    ['accountConnection(first: 0) { totalCount }', 'first'],
    ['accountConnection(first: 101) { totalCount }', 'first'],
  ])('refuses { %s }', async (field, path) => {
    const { body } = await member.graphql(`{ ${field} }`)
    expect([body.errors[0].extensions.code, body.errors[0].extensions.errors?.[0].path]).toEqual([
      'VALIDATION_FAILED',
      path,
    ])
  })
})
