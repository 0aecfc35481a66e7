import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
const ids: Record<string, string> = {}

const matching = async (filter: object, who = member): Promise<string> => {
  const { body } = await who.graphql(
    'query ($filter: AccountFilter) { accountList(filter: $filter, orderBy: [{ field: name, direction: ASC }]) { total data { name } } }',
    {
      filter: JSON.parse(
        JSON.stringify(filter).replaceAll(/":(\w+)"/g, (_, name: string) => `"${ids[name]}"`),
      ) as object,
    },
  )
  expect(body.errors).toBe(undefined)
  const names = body.data.accountList.data.map(({ name }: { name: string }) => name)
  expect(body.data.accountList.total).toBe(names.length)
  return names.join('')
}

// A is the parent of B and C, B of D. E is deleted; its parent is A, and it is the parent of F.
beforeAll(async () => {
  member = await platform.member()
  ids.me = member.userId
  const add = async (name: string, values: object) => {
    platform.advanceClock(1000)
    ids[name] = (await account(member, { name, ...values })).id
  }
  await add('A', {
    type: 'CUSTOMER',
    industry: 'Retail',
    numberOfEmployees: 10,
    annualRevenue: 100.1,
    healthScore: 10.5,
    isStrategic: true,
    techStack: ['SAP', 'Azure'],
    lastActivityDate: '2027-01-01',
    metadata: { a: { b: 1, c: [1, 2] } },
    customFields: { tier: 'gold', seats: 5 },
  })
  await add('B', {
    type: 'PARTNER',
    industry: 'retail 50%',
    numberOfEmployees: 20,
    annualRevenue: 200,
    techStack: ['SAP'],
    parentAccountId: ids.A,
  })
  await add('C', {
    healthScore: 99,
    lastActivityDate: '2027-01-02',
    parentAccountId: ids.A,
    customFields: { tier: 'silver' },
  })
  await add('D', { type: 'CUSTOMER', industry: 'R_tail\\', numberOfEmployees: 10, parentAccountId: ids.B })
  await add('E', { type: 'CUSTOMER', parentAccountId: ids.A })
  await add('F', { type: 'OTHER', parentAccountId: ids.E })
  await member.rest.accountDelete!({ id: ids.E })
})

describe('accountList with a filter', () => {
  it.each<[filter: object, names: string]>([
    [{}, 'ABCDF'],
    [{ type: {} }, 'ABCDF'],
    [{ type: { eq: null }, industry: null }, 'ABCDF'],
    [{ nothing: undefined }, 'ABCDF'],

    [{ id: { eq: ':A' } }, 'A'],
    [{ id: { in: [':A', ':C', ':E'] } }, 'AC'],
    [{ id: { in: [] } }, ''],
    [{ id: { notIn: [':A', ':C'] } }, 'BDF'],
    [{ parentAccountId: { eq: ':A' } }, 'BC'],
    [{ parentAccountId: { ne: ':A' } }, 'ADF'],
    [{ parentAccountId: { notIn: [':A'] } }, 'ADF'],
    [{ parentAccountId: { isNull: true } }, 'A'],
    [{ parentAccountId: { isNull: false } }, 'BCDF'],
    [{ ownerId: { eq: ':me' } }, 'ABCDF'],

    [{ industry: { eq: 'Retail' } }, 'A'],
    [{ industry: { ne: 'Retail' } }, 'BCDF'],
    [{ industry: { in: ['Retail', 'x'] } }, 'A'],
    [{ industry: { notIn: ['Retail'] } }, 'BCDF'],
    [{ industry: { contains: 'ETAI' } }, 'AB'],
    [{ industry: { contains: '_' } }, 'D'],
    [{ industry: { contains: '%' } }, 'B'],
    [{ industry: { startsWith: 'retail' } }, 'AB'],
    [{ industry: { startsWith: '%' } }, ''],
    [{ industry: { endsWith: '%' } }, 'B'],
    [{ industry: { endsWith: '\\' } }, 'D'],
    [{ industry: { endsWith: 'RETAIL' } }, 'A'],
    [{ industry: { isNull: true } }, 'CF'],

    [{ numberOfEmployees: { eq: 10 } }, 'AD'],
    [{ numberOfEmployees: { gt: 10 } }, 'B'],
    [{ numberOfEmployees: { gte: 10, lt: 20 } }, 'AD'],
    [{ numberOfEmployees: { in: [20, 30] } }, 'B'],
    [{ numberOfEmployees: { ne: 10 } }, 'BCF'],
    [{ annualRevenue: { eq: 100.1 } }, 'A'],
    [{ annualRevenue: { lte: 100.1 } }, 'A'],
    [{ annualRevenue: { in: [100.1, 200] } }, 'AB'],
    [{ healthScore: { eq: 10.5 } }, 'A'],
    [{ healthScore: { gt: 10.5 } }, 'C'],
    [{ healthScore: { notIn: [99] } }, 'ABDF'],

    [{ isStrategic: { eq: true } }, 'A'],
    [{ isStrategic: { ne: true } }, 'BCDF'],
    [{ lastActivityDate: { eq: '2027-01-01T00:00:00Z' } }, 'A'],
    [{ lastActivityDate: { gt: '2027-01-01T01:00:00+01:00' } }, 'C'],
    [{ lastActivityDate: { in: ['2027-01-01', '2027-01-02'] } }, 'AC'],
    [{ createdAt: { lte: '2027-02-01T09:00:02.000Z' } }, 'AB'],
    [{ deletedAt: { isNull: false } }, ''],
    [{ version: { eq: 1 } }, 'ABCDF'],

    [{ type: { eq: 'CUSTOMER' } }, 'AD'],
    [{ type: { ne: 'CUSTOMER' } }, 'BCF'],
    [{ type: { in: ['PARTNER', 'OTHER'] } }, 'BF'],
    [{ type: { notIn: ['PARTNER', 'OTHER'] } }, 'ACD'],
    [{ type: { isNull: true } }, 'C'],

    [{ techStack: { has: 'SAP' } }, 'AB'],
    [{ techStack: { hasAny: ['Azure', 'Oracle'] } }, 'A'],
    [{ techStack: { hasAll: ['SAP', 'Azure'] } }, 'A'],
    [{ techStack: { isEmpty: true } }, 'CDF'],
    [{ techStack: { isEmpty: false } }, 'AB'],
    [{ metadata: { a: { b: 1 } } }, 'A'],
    [{ metadata: { a: { c: [2] } } }, 'A'],
    [{ metadata: { a: { b: 2 } } }, ''],
    [{ customFields: { tier: 'gold' } }, 'A'],
    [{ customFields: { tier: 'gold', seats: '5' } }, ''],

    [{ type: { eq: 'CUSTOMER' }, numberOfEmployees: { gte: 10 }, isStrategic: { eq: false } }, 'D'],
    [{ and: [{ type: { eq: 'CUSTOMER' } }, { isStrategic: { eq: true } }] }, 'A'],
    [{ and: [] }, 'ABCDF'],
    [{ or: [] }, 'ABCDF'],
    [{ or: [{ type: { eq: 'PARTNER' } }, { healthScore: { gt: 50 } }] }, 'BC'],
    [{ or: [{ type: { eq: 'PARTNER' } }, {}] }, 'ABCDF'],
    [{ type: { eq: 'CUSTOMER' }, or: [{ name: { eq: 'D' } }, { name: { eq: 'B' } }] }, 'D'],
    [{ not: {} }, 'ABCDF'],
    [{ not: { type: { eq: 'CUSTOMER' } } }, 'BCF'],
    [{ not: { industry: { contains: 'retail' } } }, 'CDF'],
    [{ not: { numberOfEmployees: { gt: 10 } } }, 'ACDF'],
    [{ not: { not: { type: { eq: 'CUSTOMER' } } } }, 'AD'],
    [{ not: { or: [{ type: { eq: 'CUSTOMER' } }, { healthScore: { gt: 50 } }] } }, 'BF'],
    [{ not: { and: [{ type: { eq: 'CUSTOMER' } }, { numberOfEmployees: { eq: 10 } }] } }, 'BCF'],
    [{ not: { type: { eq: 'CUSTOMER' }, isStrategic: { eq: true } } }, 'BCDF'],
    [
      {
        or: [
          { not: { type: { isNull: false } } },
          { and: [{ parentAccountId: { eq: ':A' } }, { not: { techStack: { isEmpty: true } } }] },
        ],
      },
      'BC',
    ],

    [{ parent: { name: { eq: 'A' } } }, 'BC'],
    [{ parent: { parent: { name: { eq: 'A' } } } }, 'D'],
    [{ parent: { type: { isNull: false } } }, 'BCD'],
    [{ not: { parent: { name: { eq: 'A' } } } }, 'ADF'],
    [{ parent: { not: { type: { eq: 'CUSTOMER' } } } }, 'D'],
    [{ parent: { children: { some: { name: { eq: 'C' } } } } }, 'BC'],
    [{ children: {} }, 'ABCDF'],
    [{ children: { some: {} } }, 'AB'],
    [{ children: { none: {} } }, 'CDF'],
    [{ children: { some: { name: { eq: 'E' } } } }, ''],
    [{ children: { some: { type: { eq: 'PARTNER' } } } }, 'A'],
    [{ children: { none: { type: { eq: 'PARTNER' } } } }, 'BCDF'],
    [{ children: { every: { type: { eq: 'PARTNER' } } } }, 'CDF'],
    [{ children: { every: { type: { eq: 'CUSTOMER' } } } }, 'BCDF'],
    [{ children: { every: {} } }, 'ABCDF'],
    [{ children: { some: { type: { eq: 'PARTNER' } }, every: { parentAccountId: { eq: ':A' } } } }, 'A'],
    [{ children: { some: { children: { some: { name: { eq: 'D' } } } } } }, 'A'],
    [{ children: { some: { or: [{ name: { eq: 'D' } }, { name: { eq: 'C' } }] } } }, 'AB'],
    [{ not: { children: { some: {} } } }, 'CDF'],
    [{ or: [{ children: { some: { name: { eq: 'D' } } } }, { parent: { name: { eq: 'B' } } }] }, 'BD'],
  ])('finds for %j: %s', async (filter, names) => {
    expect(await matching(filter)).toBe(names)
  })

  it('combines a filter and a search', async () => {
    const { body } = await member.graphql(
      '{ accountList(filter: { type: { eq: CUSTOMER } }, search: "TAIL") { total data { name } } }',
    )
    expect(body.data.accountList).toEqual({ total: 2, data: [{ name: 'D' }, { name: 'A' }] })
  })

  it('finds nothing of another organization by any id or relation', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    await account(stranger, { name: 'Z' })
    for (const filter of [
      { id: { in: [':A', ':B'] } },
      { parent: { name: { eq: 'A' } } },
      { children: { some: {} } },
      { ownerId: { eq: ':me' } },
    ]) {
      expect(await matching(filter, stranger)).toBe('')
    }
  })

  const nested = (levels: number): object => (levels === 0 ? { name: { eq: 'A' } } : { not: nested(levels - 1) })

  it.each<[string, object, string]>([
    ['an invalid id', { id: { eq: '1' } }, 'filter.id.eq'],
    [
      'an invalid id in a nested filter',
      { or: [{}, { children: { some: { ownerId: { in: ['me'] } } } }] },
      'filter.or.1.children.some.ownerId.in',
    ],
    ['501 items', { name: { in: Array.from({ length: 501 }, (_, index) => String(index)) } }, 'filter.name.in'],
    ['text that cannot be stored', { name: { contains: 'a\0b' } }, 'filter.name.contains'],
    ['half a surrogate pair', { techStack: { has: '\ud800' } }, 'filter.techStack.has'],
    ['nine levels', nested(9), `filter${'.not'.repeat(9)}`],
  ])('refuses %s', async (_, filter, path) => {
    const { body } = await member.graphql('query ($filter: AccountFilter) { accountList(filter: $filter) { total } }', {
      filter,
    })
    expect([body.errors[0].extensions.code, body.errors[0].extensions.errors[0].path]).toEqual([
      'VALIDATION_FAILED',
      path,
    ])
  })

  it('accepts 500 items and eight levels', async () => {
    expect(await matching({ id: { in: [...Array.from({ length: 499 }, newId), ':A'] } })).toBe('A')
    expect(await matching(nested(8))).toBe('A')
  })
})

describe('caseList with a filter', () => {
  const found = async (filter: object): Promise<string> => {
    const { body } = await member.graphql(
      'query ($filter: CaseFilter) { caseList(filter: $filter, orderBy: [{ field: caseNumber, direction: ASC }]) { total data { subject } } }',
      { filter },
    )
    const subjects = body.data.caseList.data.map(({ subject }: { subject: string }) => subject)
    expect(body.data.caseList.total).toBe(subjects.length)
    return subjects.join('')
  }

  beforeAll(async () => {
    const [one, two] = [
      await supportCase(member, { subject: 'P', priority: 'HIGH' }),
      await supportCase(member, { subject: 'Q' }),
    ]
    await supportCase(member, { subject: 'R', tags: ['urgent'] })
    const comment = (id: string, body: object) => member.rest.caseCommentCreate!({ id, body })
    await comment(one.id, { body: 'Public 100%' })
    await comment(one.id, { body: 'Hidden', isInternal: true })
    await comment(two.id, { body: 'Hidden too', isInternal: true })
  })

  it.each<[filter: object, subjects: string]>([
    [{ priority: { eq: 'HIGH' } }, 'P'],
    [{ tags: { has: 'urgent' } }, 'R'],
    [{ caseNumber: { lte: 2 } }, 'PQ'],
    [{ firstResponseAt: { isNull: false } }, 'P'],
    [{ comments: { some: {} } }, 'PQ'],
    [{ comments: { none: {} } }, 'R'],
    [{ comments: { some: { isInternal: { eq: false } } } }, 'P'],
    [{ comments: { every: { isInternal: { eq: true } } } }, 'QR'],
    [{ comments: { none: { isInternal: { eq: false } } } }, 'QR'],
    [{ comments: { some: { body: { contains: '%' } } } }, 'P'],
    [{ comments: { some: { not: { body: { startsWith: 'hidden' } } } } }, 'P'],
    [{ not: { comments: { some: { authorType: { eq: 'USER' } } } } }, 'R'],
    [{ comments: { some: { isInternal: { eq: true } }, every: { isInternal: { eq: true } } } }, 'Q'],
  ])('finds for %j: %s', async (filter, subjects) => {
    expect(await found(filter)).toBe(subjects)
  })
})
