import { buildSchema, Kind, parse, type FragmentDefinitionNode } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../subgraphs/kernel/errors.ts'
import { costOf, refuseCostly } from './cost.ts'
import { defaultLimits } from './limits.ts'

const schema = buildSchema(`
  scalar JSON
  input Text { eq: String, in: [String!], contains: String, startsWith: String, endsWith: String }
  input CaseFilter { subject: Text, and: [CaseFilter!], account: AccountFilter }
  input AccountFilter { name: Text, and: [AccountFilter!], or: [AccountFilter!], not: AccountFilter, metadata: JSON, cases: Cases }
  input Cases { some: CaseFilter, none: CaseFilter }
  type Case { id: ID! subject: String account: Account }
  type PageInfo { endCursor: String }
  type CaseConnection { nodes: [Case!]! totalCount: Int pageInfo: PageInfo! }
  type Account { id: ID! cases(filter: CaseFilter, first: Int! = 20): CaseConnection! }
  type AccountPage { data: [Account!]! total: Int totalPages: Int }
  type Query { accountList(filter: AccountFilter, search: String, limit: Int! = 20): AccountPage! }
`)

function costIn(source: string, variables: Record<string, unknown> = {}): number {
  const { definitions } = parse(source)
  const operation = definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  const fragments = definitions.filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
  const byName = new Map(fragments.map((node) => [node.name.value, node]))
  try {
    refuseCostly(costOf(schema, operation, byName), variables, -1, null)
  } catch (error) {
    return (error as Refusal).extensions['cost'] as number
  }
  return NaN
}

const rows = 'data { id }'
const page = 21
const conditions = (count: number): object => ({
  and: Array.from({ length: count }, () => ({ name: { contains: 'x' } })),
})

describe('the cost of finding records', () => {
  it.each([
    ['no filter', `{ accountList { ${rows} total } }`, page],
    ['an empty filter', `{ accountList(filter: {}) { ${rows} total } }`, page],
    ['a condition', `{ accountList(filter: { name: { eq: "a" } }) { ${rows} } }`, page + 1],
    ['a condition with several values', `{ accountList(filter: { name: { in: ["a", "b"] } }) { ${rows} } }`, page + 1],
    ['JSON', `{ accountList(filter: { metadata: { contains: ["a"] } }) { ${rows} } }`, page + 1],
    [
      'conditions on text in JSON, as custom fields have them',
      `{ accountList(filter: { metadata: { a: { contains: "a", startsWith: "b" }, b: { gt: 1 }, c: null } }) { ${rows} } }`,
      page + 1 + 2 * 25,
    ],
    ['a condition on text', `{ accountList(filter: { name: { contains: "a" } }) { ${rows} } }`, page + 25],
    [
      'conditions of every kind and level',
      `{ accountList(filter: { name: { startsWith: "a", endsWith: "b", eq: null }, or: [{ not: { name: { contains: "a" } } }, { name: { eq: "a" } }], cases: { some: { subject: { contains: "a" } } } }) { ${rows} } }`,
      page + 4 * 25 + 1 + 100,
    ],
    ['no relation', `{ accountList(filter: { cases: { some: null } }) { ${rows} } }`, page],
    [
      'every relation on the way',
      `{ accountList(filter: { cases: { some: {}, none: { account: { name: { eq: "a" } } } } }) { ${rows} } }`,
      page + 3 * 100 + 1,
    ],
    ['a search', `{ accountList(search: "a") { ${rows} } }`, page + 100],
    ['no search', `{ accountList(search: null) { ${rows} total } }`, page],
    ['a search with a count', `{ accountList(search: "a") { ${rows} total } }`, page + 2 * 100 + 100],
    [
      'a count without rows, because the rows are read for it',
      `{ accountList(search: "a") { totalPages } }`,
      page + 2 * 100 + 100,
    ],
    ['a count in a fragment', `{ accountList(search: "a") { ...P } } fragment P on AccountPage { total }`, page + 300],
    ['a count without a filter, which is maintained', '{ accountList(limit: 50) { total } }', 51],
    [
      'a filter of a nested list, once for each parent',
      `{ accountList(limit: 10) { data { cases(first: 2, filter: { subject: { contains: "a" } }) { nodes { id } totalCount } } } }`,
      1 + 10 * (1 + (25 * 2 + 100) + (1 + 2)),
    ],
  ])('counts %s', (_name, document, cost) => {
    expect(costIn(document)).toBe(cost)
  })

  it('counts conditions in variables, at any place', () => {
    const whole = `query ($f: AccountFilter, $s: String) { accountList(filter: $f, search: $s) { ${rows} } }`
    expect(costIn(whole)).toBe(page)
    expect(costIn(whole, { f: null, s: null })).toBe(page)
    expect(costIn(whole, { f: conditions(3), s: 'a' })).toBe(page + 3 * 25 + 100)
    expect(costIn(whole, { f: { metadata: { a: { contains: 'x' } } } })).toBe(page + 1 + 25)
    expect(costIn(whole, { f: { cases: { some: {}, none: { account: { name: { eq: 'a' } } } } } })).toBe(page + 301)
    expect(costIn(whole, { f: { cases: { some: null } } })).toBe(page)
    const related = `query ($c: CaseFilter) { accountList(filter: { cases: { some: $c } }) { ${rows} } }`
    expect([costIn(related), costIn(related, { c: {} })]).toEqual([page, page + 100])
    const json = `query ($t: String) { accountList(filter: { metadata: { a: { contains: $t } } }) { ${rows} } }`
    expect(costIn(json, { t: 'x' })).toBe(page + 1 + 25)
    const parts = `query ($n: String, $a: [AccountFilter!]) { accountList(filter: { name: { contains: $n, eq: "b" }, and: $a }) { ${rows} } }`
    expect(costIn(parts)).toBe(page + 1)
    expect(costIn(parts, { n: 'x', a: [conditions(2), { name: { eq: 'b' } }] })).toBe(page + 1 + 25 + 50 + 1)
  })

  it('refuses six lists of 99 conditions on text, and accepts one with its count', () => {
    const list = (alias: number): string => `a${alias}: accountList(filter: $f, limit: 100) { ${rows} total }`
    const variables = { f: conditions(99) }
    const costOfLists = (count: number): number =>
      costIn(
        `query ($f: AccountFilter) { ${Array.from({ length: count }, (_, alias) => list(alias)).join(' ')} }`,
        variables,
      )
    expect(costOfLists(1)).toBe(101 + 2 * 99 * 25 + 100)
    expect(costOfLists(1)).toBeLessThan(defaultLimits.cost)
    expect(costOfLists(6)).toBe(6 * (101 + 2 * 99 * 25 + 100))
    expect(costOfLists(6)).toBeGreaterThan(defaultLimits.cost)
  })
})
