import { beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../subgraphs/demo/random.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, supportCase } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
const random = new Random('filters of relations')

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly type: string | null
  readonly parentAccountId: string | null
  readonly ownerId: string
  readonly isDeleted: boolean
}
interface CaseRow {
  readonly id: string
  readonly subject: string
  readonly status: string
  readonly accountId: string | null
  readonly ownerId: string
  readonly isDeleted: boolean
}
type Filter = Record<string, unknown>

const accounts: AccountRow[] = []
const cases: CaseRow[] = []
const types = ['CUSTOMER', 'PARTNER', null]
const statuses = ['OPEN', 'ESCALATED', 'NEW']
let all: Member
let own: Member
let stranger: Member

// `all` sees every record, `own` only its own ones. Some accounts and cases are deleted, and every case of the stranger claims to
// belong to an account of this organization.
beforeAll(async () => {
  const organizationId = await platform.organization()
  all = await platform.member({ organizationId })
  own = await platform.member({ organizationId, visibility: 'OWN' })
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const owner = () => random.pick([all, own, own]).userId
  for (let index = 0; index < 12; index++) {
    const parent = random.chance(0.6) ? accounts.at(-random.whole(1, 3)) : undefined
    const values = {
      name: `A${index}`,
      type: random.pick(types),
      parentAccountId: parent?.id ?? null,
      ownerId: owner(),
    }
    const { id } = await account(all, values)
    accounts.push({ ...values, id, isDeleted: random.chance(0.2) })
  }
  for (let index = 0; index < 30; index++) {
    const accountId = random.chance(0.8) ? random.pick(accounts.slice(0, 9)).id : null
    const values = { subject: `C${index}`, status: random.pick(statuses), accountId, ownerId: owner() }
    const { id } = await supportCase(all, values)
    cases.push({ ...values, id, isDeleted: random.chance(0.2) })
  }
  for (const { id, isDeleted } of accounts) if (isDeleted) await all.rest.accountDelete!({ id })
  for (const { id, isDeleted } of cases) if (isDeleted) await all.rest.caseDelete!({ id })
  for (const { id } of accounts) {
    const { id: foreign } = await supportCase(stranger, { subject: 'foreign', status: 'CLOSED' })
    await platform.query('update support."case" set account_id = $1 where id = $2', [id, foreign])
  }
})

/** The records that a member sees, and whether they match a filter, computed without SQL. */
class Reference {
  constructor(private readonly member: Member) {}

  #sees = ({ ownerId, isDeleted }: AccountRow | CaseRow): boolean =>
    !isDeleted && (this.member === all || (this.member === own && ownerId === own.userId))

  accountNames(filter: Filter): string[] {
    return accounts.filter((row) => this.#sees(row) && this.account(row, filter)).map(({ name }) => name)
  }

  caseSubjects(filter: Filter): string[] {
    return cases.filter((row) => this.#sees(row) && this.case(row, filter)).map(({ subject }) => subject)
  }

  account(row: AccountRow, filter: Filter): boolean {
    const related = {
      parent: (inner: Filter) =>
        accounts.some((other) => other.id === row.parentAccountId && this.#sees(other) && this.account(other, inner)),
      children: this.#many(
        accounts.filter((other) => other.parentAccountId === row.id),
        (other, inner) => this.account(other, inner),
      ),
      cases: this.#many(
        cases.filter(({ accountId }) => accountId === row.id),
        (other, inner) => this.case(other, inner),
      ),
    }
    return this.#matches(row, filter, related, (inner) => this.account(row, inner))
  }

  case(row: CaseRow, filter: Filter): boolean {
    const related = {
      account: (inner: Filter) =>
        accounts.some((other) => other.id === row.accountId && this.#sees(other) && this.account(other, inner)),
    }
    return this.#matches(row, filter, related, (inner) => this.case(row, inner))
  }

  #many<T extends AccountRow | CaseRow>(rows: readonly T[], matches: (row: T, inner: Filter) => boolean) {
    const seen = rows.filter(this.#sees)
    return ({ some, every, none }: Filter): boolean =>
      (!some || seen.some((row) => matches(row, some as Filter))) &&
      (!every || seen.every((row) => matches(row, every as Filter))) &&
      (!none || !seen.some((row) => matches(row, none as Filter)))
  }

  #matches(
    row: AccountRow | CaseRow,
    filter: Filter,
    related: Record<string, (inner: Filter) => boolean>,
    again: (inner: Filter) => boolean,
  ): boolean {
    return Object.entries(filter).every(([name, value]) => {
      if (name === 'and') return (value as Filter[]).every(again)
      if (name === 'or') return (value as Filter[]).some(again)
      if (name === 'not') return Object.keys(value as Filter).length === 0 || !again(value as Filter)
      if (related[name]) return related[name](value as Filter)
      return (row as unknown as Filter)[name] === (value as Filter)['eq']
    })
  }
}

/** At most four levels, so at most four relations. */
const accountFilter = (depth: number): Filter => {
  const inner = () => accountFilter(depth - 1)
  if (depth === 0) return { type: { eq: random.pick(['CUSTOMER', 'PARTNER']) } }
  return random.pick<() => Filter>([
    () => ({ and: [inner(), inner()] }),
    () => ({ or: [inner(), inner()] }),
    () => ({ not: inner() }),
    () => ({ parent: inner() }),
    () => ({ children: { [random.pick(['some', 'every', 'none'])]: inner() } }),
    () => ({ cases: { [random.pick(['some', 'every', 'none'])]: caseFilter(depth - 1) } }),
    () => ({ cases: { some: caseFilter(depth - 1), every: caseFilter(depth - 1) } }),
  ])()
}

const caseFilter = (depth: number): Filter => {
  const inner = () => caseFilter(depth - 1)
  if (depth === 0) return { status: { eq: random.pick(statuses) } }
  return random.pick<() => Filter>([
    () => ({ and: [inner(), inner()] }),
    () => ({ or: [inner(), inner()] }),
    () => ({ not: inner() }),
    () => ({ account: accountFilter(depth - 1) }),
    () => ({ status: { eq: random.pick(statuses) }, account: accountFilter(depth - 1) }),
  ])()
}

async function found(member: Member, type: 'Account' | 'Case', filter: Filter): Promise<string[]> {
  const [list, name] = type === 'Account' ? ['accountList', 'name'] : ['caseList', 'subject']
  const query = `query ($filter: ${type}Filter) { ${list}(filter: $filter, limit: 100, orderBy: [{ direction: ASC }]) { total data { name: ${name} } } }`
  const { body } = await member.graphql(query, { filter })
  expect(body.errors).toBe(undefined)
  const names = body.data[list].data.map((row: { name: string }) => row.name) as string[]
  expect(body.data[list].total).toBe(names.length)
  return names
}

const refusalOf = async (member: Member, query: string, variables: object = {}) => {
  const { status, body } = await unchanged(platform, () => member.graphql(query, variables))
  const [error] = body.errors ?? []
  return [status, error?.extensions.code, error?.extensions.missingScopes ?? error?.extensions.errors?.[0].path]
}

const byNumber = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))

describe('a filter on records of another subgraph', () => {
  it.each<[filter: Filter]>([
    [{ cases: { some: { status: { eq: 'ESCALATED' } } } }],
    [{ cases: { none: { status: { eq: 'ESCALATED' } } } }],
    [{ cases: { every: { status: { eq: 'OPEN' } } } }],
    [{ cases: { some: {} } }],
    [{ cases: { none: {} } }],
    [{ not: { cases: { some: {} } } }],
    [{ parent: { cases: { some: { status: { eq: 'OPEN' } } } } }],
    [{ cases: { some: { account: { type: { eq: 'CUSTOMER' } } } } }],
  ])('finds the accounts of %j', async (filter) => {
    const expected = new Reference(all).accountNames(filter)
    expect(byNumber(await found(all, 'Account', filter))).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(accounts.filter(({ isDeleted }) => !isDeleted).length)
  })

  it.each<[filter: Filter]>([
    [{ account: { type: { eq: 'CUSTOMER' } } }],
    [{ account: {} }],
    [{ not: { account: {} } }],
    [{ status: { eq: 'ESCALATED' }, account: { type: { eq: 'PARTNER' } } }],
    [{ account: { children: { some: {} } } }],
    [{ account: { cases: { none: { status: { eq: 'NEW' } } } } }],
  ])('finds the cases of %j', async (filter) => {
    const expected = new Reference(all).caseSubjects(filter)
    expect(byNumber(await found(all, 'Case', filter))).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(cases.filter(({ isDeleted }) => !isDeleted).length)
  })

  it('finds what a model without SQL finds, for callers with every and with restricted visibility', async () => {
    for (const member of [all, own]) {
      const reference = new Reference(member)
      for (let count = 0; count < 60; count++) {
        const [ofAccounts, ofCases] = [accountFilter(count % 4), caseFilter(count % 4)]
        const names = byNumber(await found(member, 'Account', ofAccounts))
        expect(names, JSON.stringify(ofAccounts)).toEqual(reference.accountNames(ofAccounts))
        const subjects = byNumber(await found(member, 'Case', ofCases))
        expect(subjects, JSON.stringify(ofCases)).toEqual(reference.caseSubjects(ofCases))
      }
    }
  })

  it('never matches a record of another organization', async () => {
    const closed = { status: { eq: 'CLOSED' } }
    expect(await found(all, 'Account', { cases: { some: closed } })).toEqual([])
    expect(await found(all, 'Account', { cases: { none: closed } })).toHaveLength(
      accounts.filter(({ isDeleted }) => !isDeleted).length,
    )
    expect(await found(stranger, 'Case', { account: {} })).toEqual([])
    expect(await found(stranger, 'Case', { not: { account: {} } })).toHaveLength(accounts.length)
    expect(await found(stranger, 'Account', {})).toEqual([])
  })

  it('does not tell a caller whether a hidden record exists', async () => {
    const { id } = await account(all, { name: 'A99', ownerId: own.userId })
    const before = [
      await found(own, 'Account', { cases: { some: {} } }),
      await found(own, 'Account', { cases: { none: {} } }),
    ]
    const { id: hidden } = await supportCase(all, { subject: 'C99', accountId: id, status: 'ESCALATED' })
    expect([
      await found(own, 'Account', { cases: { some: {} } }),
      await found(own, 'Account', { cases: { none: {} } }),
    ]).toEqual(before)
    const every = { cases: { every: { status: { eq: 'OPEN' } } } }
    expect(await found(own, 'Account', { ...every, id: { eq: id } })).toEqual(['A99'])
    expect(await found(all, 'Account', { ...every, id: { eq: id } })).toEqual([])
    expect(await found(all, 'Account', { cases: { some: { id: { eq: hidden } } } })).toEqual(['A99'])

    const { id: secret } = await account(all, { name: 'A98' })
    const mine = await supportCase(all, { subject: 'C98', accountId: secret, ownerId: own.userId })
    expect(await found(own, 'Case', { id: { eq: mine.id }, account: {} })).toEqual([])
    expect(await found(own, 'Case', { id: { eq: mine.id }, not: { account: { name: { eq: 'A98' } } } })).toEqual([
      'C98',
    ])
    expect(await found(own, 'Case', { id: { eq: mine.id }, not: { account: { name: { ne: 'A98' } } } })).toEqual([
      'C98',
    ])
    for (const [type, gone] of [
      ['account', id],
      ['case', hidden],
      ['account', secret],
      ['case', mine.id],
    ] as const)
      await all.rest[`${type}Delete`]!({ id: gone })
  })

  it('needs the scope of those records', async () => {
    const reader = await platform.member({ organizationId: all.organizationId, scopes: ['READ_ACCOUNTS'] })
    const both = await platform.member({ organizationId: all.organizationId, scopes: ['READ_ACCOUNTS', 'READ_CASES'] })
    const filter = { or: [{ cases: { some: { status: { eq: 'OPEN' } } } }] }
    const byVariable = 'query ($filter: AccountFilter) { accountList(filter: $filter) { total } }'
    const byLiteral = '{ accountList(filter: { cases: { none: {} } }) { total } }'
    for (const [query, variables] of [
      [byVariable, { filter }],
      [byLiteral, {}],
    ] as const) {
      expect(await refusalOf(reader, query, variables)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT', ['READ_CASES']])
      expect((await both.graphql(query, variables)).body.errors).toBe(undefined)
    }
    expect((await reader.graphql(byVariable, { filter: { parent: { type: { eq: 'PARTNER' } } } })).body.errors).toBe(
      undefined,
    )
  })

  it('cannot name fields that are hidden from the caller', async () => {
    const ctx = systemContext(platform.services, all.organizationId)
    const restricted = async (name: string, fields: object) => {
      const member = await platform.member({ organizationId: all.organizationId })
      const { id } = await createProfile(ctx, { name, fields })
      await assignProfile(ctx, member.userId, id)
      return (list: string, filter: string) => refusalOf(member, `{ ${list}(filter: ${filter}) { total } }`)
    }
    const code = 'FIELD_NOT_READABLE'
    const withoutRelation = await restricted('Without relation', { case: { accountId: 'HIDDEN' } })
    expect(await withoutRelation('caseList', '{ account: { name: { eq: "x" } } }')).toEqual([
      200,
      code,
      'filter.account',
    ])
    expect(await withoutRelation('accountList', '{ cases: { some: {} } }')).toEqual([200, code, 'filter.cases'])

    const some = await restricted('Some', { account: { industry: 'HIDDEN' }, case: { description: 'HIDDEN' } })
    const [ofAccount, ofCase] = ['{ industry: { isNull: true } }', '{ description: { contains: "a" } }']
    const account = 'filter.not.account.industry'
    expect(await some('caseList', `{ not: { account: ${ofAccount} } }`)).toEqual([200, code, account])
    const cases = 'filter.cases.none.description'
    expect(await some('accountList', `{ cases: { none: ${ofCase} } }`)).toEqual([200, code, cases])
    expect(await some('caseList', '{ account: { name: { eq: "x" } } }')).toEqual([200, undefined, undefined])
  })

  it('is limited in depth, in the number of its conditions, and by its cost', async () => {
    const nested = (levels: number): Filter =>
      levels === 0 ? {} : { cases: { some: { account: nested(levels - 1) } } }
    const query = 'query ($filter: AccountFilter) { accountList(filter: $filter) { data { id } } }'
    expect((await all.graphql(query, { filter: nested(2) })).body.errors).toBe(undefined)
    expect(await refusalOf(all, query, { filter: nested(3) })).toEqual([
      200,
      'VALIDATION_FAILED',
      `filter${'.cases.some.account'.repeat(2)}.cases`,
    ])
    const many = (count: number, filter: Filter = {}) => ({
      and: Array.from({ length: count }, () => ({ cases: { some: filter } })),
    })
    expect((await all.graphql(query, { filter: many(20) })).body.errors).toBe(undefined)
    expect((await refusalOf(all, query, { filter: many(100) })).slice(0, 2)).toEqual([400, 'GRAPHQL_LIMIT_EXCEEDED'])
    // The relation is a condition, too.
    const three = { status: { eq: 'OPEN', ne: 'NEW' }, subject: { ne: 'x' } }
    const [, code, path] = await refusalOf(all, query, { filter: many(26, three) })
    expect([code, path]).toEqual(['VALIDATION_FAILED', 'filter.and.25.cases.some'])
  })

  it('is one condition of the statement of the list', async () => {
    const statements = await statementsOf(platform, () =>
      found(all, 'Account', { cases: { some: { status: { eq: 'OPEN' } } } }),
    )
    // The window of the newest accounts, all matching accounts, and their number.
    expect(statements).toHaveLength(3)
    for (const text of statements) {
      expect(text.match(/tenant\.support_case/g)).toHaveLength(1)
      expect(text).toMatch(
        /exists \(select 1 from tenant\.support_case t1 where t1\.organization_id = \$1 and t1\.deleted_at is null and/,
      )
    }
  })

  it('works in a nested list', async () => {
    const query =
      '{ accountList(limit: 20) { data { name cases(filter: { account: { type: { eq: PARTNER } } }, first: 1) { totalCount } } } }'
    const { body } = await all.graphql(query)
    expect(body.errors).toBe(undefined)
    for (const { name, cases: found } of body.data.accountList.data as {
      name: string
      cases: { totalCount: number }
    }[]) {
      const row = accounts.find((one) => one.name === name)!
      const live = cases.filter(({ accountId, isDeleted }) => accountId === row.id && !isDeleted)
      expect(found.totalCount).toBe(row.type === 'PARTNER' ? live.length : 0)
    }
  })
})
