import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  isEnumType,
  lexicographicSortSchema,
  printSchema,
  type GraphQLSchema,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { answerOf, graphqlClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const open = usePlatform({ INTROSPECTION: 'open' })
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const messagesOf = ({ body }: Answer): string[] => body.errors.map(({ message }: { message: string }) => message)

describe('/schema.graphql', () => {
  const get = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/schema.graphql`, { headers })

  it('is the schema that introspection returns', async () => {
    const response = await get(platform.url, member.headers)
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="schema.graphql"',
    ])
    // The answer is read before the next request, because a reader that is too slow is disconnected.
    const text = await response.text()
    const { body } = await member.graphql(getIntrospectionQuery({ specifiedByUrl: true }))
    const sorted = (schema: GraphQLSchema): string => printSchema(lexicographicSortSchema(schema))
    expect(sorted(buildSchema(text))).toBe(sorted(buildClientSchema(body.data)))
  })

  it('is refused with 401 without a credential, unless introspection is open', async () => {
    const refused = await answerOf(await get(platform.url))
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Send Authorization or X-API-Key to read the schema.',
    ])
    expect((await get(platform.url, { 'x-api-key': 'wrong' })).status).toBe(401)
    expect((await get(open.url)).status).toBe(200)
  })

  it('counts against the quota, and answers 304 if it has not changed', async () => {
    const first = await get(platform.url, member.headers)
    const again = await get(platform.url, { ...member.headers, 'if-none-match': first.headers.get('etag')! })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const remaining = ({ headers }: Response) => Number(headers.get('ratelimit-remaining'))
    expect(remaining(again)).toBe(remaining(first) - 1)
  })
})

describe('the schema', () => {
  const schemaOf = async () =>
    buildSchema(await (await fetch(`${platform.url}/schema.graphql`, { headers: member.headers })).text())

  it('has the id of a record as first argument', async () => {
    const schema = await schemaOf()
    const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!]
    const fields = roots.flatMap((root) => Object.values(root.getFields()))
    const withId = fields.map(({ args }) => args.map(({ name }) => name)).filter((names) => names.includes('id'))
    expect(withId.filter(([first]) => first !== 'id')).toEqual([])
    expect(withId).not.toEqual([])
    const { caseUpdate } = schema.getMutationType()!.getFields()
    expect(caseUpdate!.args.map(({ name }) => name)).toEqual(['id', 'input', 'expectedVersion'])
  })

  it('has no two enumeration values that differ only in case', async () => {
    const enums = Object.values((await schemaOf()).getTypeMap()).filter(isEnumType)
    const doubled = enums.filter((type) => {
      const names = type.getValues().map(({ name }) => name.toUpperCase())
      return new Set(names).size < names.length
    })
    expect(doubled.map(({ name }) => name)).toEqual([])
  })

  it('has an enumeration for each field of a record with fixed values', async () => {
    const fields = (await schemaOf()).getType('Case') as unknown as { getFields(): Record<string, { type: unknown }> }
    const types = ['status', 'priority', 'type', 'origin'].map((name) => String(fields.getFields()[name]!.type))
    expect(types).toEqual(['CaseStatus!', 'CasePriority!', 'CaseType!', 'CaseOrigin!'])
  })
})

describe('a sort direction', () => {
  it('is upper case in GraphQL, and both cases in REST', async () => {
    const lower = await member.graphql('{ accountList(orderBy: [{field: name, direction: asc}]) { page } }')
    expect(messagesOf(lower)).toEqual([
      'Value "asc" does not exist in "SortOrder" enum. Did you mean the enum value "ASC" or "DESC"? Allowed values: ASC, DESC.',
    ])
    for (const name of ['b', 'a']) await member.rest.accountCreate!({ body: { name } })
    const names = async (sortOrder: string) =>
      (await member.rest.accountList!({ query: { sortBy: 'name', sortOrder } })).body.data.map(
        ({ name }: { name: string }) => name,
      )
    expect([await names('asc'), await names('ASC'), await names('desc'), await names('DESC')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'a'],
      ['b', 'a'],
    ])
    expect((await member.rest.accountList!({ query: { sortOrder: 'Asc' } })).status).toBe(400)
  })
})

describe('statistics', () => {
  it('have one field for each value of an enumeration, and a list of industries', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Figures') })
    await own.rest.accountCreate!({ body: { name: 'A', type: 'CUSTOMER', industry: 'Retail' } })
    const query = '{ accountStats { byType { CUSTOMER PARTNER } industries { industry count } byIndustry } }'
    expect((await own.graphql(query)).body).toEqual({
      data: {
        accountStats: {
          byType: { CUSTOMER: 1, PARTNER: 0 },
          industries: [{ industry: 'Retail', count: 1 }],
          byIndustry: { Retail: 1 },
        },
      },
    })
  })
})

describe('an error message', () => {
  const misspelt: readonly (readonly [string, object, string])[] = [
    ['{ accountLst { total } }', {}, 'Did you mean "accountList"'],
    ['{ accountList { totl } }', {}, 'Did you mean "total"'],
    ['{ accountList(serch: "a") { total } }', {}, 'Did you mean "search"'],
    ['{ accountList(filter: {nam: {eq: "a"}}) { total } }', {}, 'Did you mean "name"'],
    ['query($f: AcountFilter) { accountList(filter: $f) { total } }', {}, 'Did you mean "AccountFilter"'],
    ['{ accountList(filter: {type: {eq: CUSTOMR}}) { total } }', {}, 'Did you mean the enum value "CUSTOMER"'],
    ['{ accountList(filter: {type: {eq: "x"}}) { total } }', {}, 'Allowed values: PROSPECT, CUSTOMER, PARTNER'],
    [
      'query($f: AccountFilter) { accountList(filter: $f) { total } }',
      { f: { type: { eq: 'BEST' } } },
      'Value "BEST" does not exist in "AccountType" enum. Allowed values: PROSPECT, CUSTOMER, PARTNER, RESELLER, COMPETITOR, OTHER.',
    ],
    ['query($f: AccountFilter) { accountList(filter: $f) { total } }', { f: { nam: 1 } }, 'Did you mean "name"'],
  ]

  it.each(misspelt)(
    'suggests names and allowed values to a caller who may introspect: %s %j',
    async (query, variables, text) => {
      expect(messagesOf(await member.graphql(query, variables)).join()).toContain(text)
    },
  )

  it('suggests nothing to others, also after the same document was sent by a caller who may introspect', async () => {
    const anonymous = graphqlClient(platform.url, {})
    for (const [query, variables] of misspelt) {
      await member.graphql(query, variables)
      const { body } = await anonymous(query, variables)
      expect(JSON.stringify(body)).not.toMatch(/did you mean|allowed values/i)
    }
    const [query, variables, text] = misspelt[0]!
    expect(messagesOf(await graphqlClient(open.url, {})(query, variables)).join()).toContain(text)
  })

  it('suggests nothing for a document with more than five problems, because suggestions take time', async () => {
    const withProblems = (count: number) => `{ accountList { ${'totl '.repeat(count)} } }`
    expect(
      messagesOf(await member.graphql(withProblems(5))).filter((text) => text.includes('Did you mean')),
    ).toHaveLength(5)
    expect(messagesOf(await member.graphql(withProblems(6))).join()).not.toContain('Did you mean')
  })
})
