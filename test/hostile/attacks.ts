import type { Sent } from '../requests/send.ts'
import type { Tenant } from './attacked-process.ts'

/** Expensive requests: each is sent `times` times, `width` at once. */
export interface Attack {
  readonly name: string
  readonly times: number
  readonly width: number
  readonly request: (index: number) => Sent
  /** Allowed statuses. The platform never answers 500, and every refusal has the documented form. */
  readonly statuses: readonly number[]
}

const json = { 'Content-Type': 'application/json' }
const repeated = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ')

const graphql = (headers: Sent['headers'], query: string, variables?: object): Sent => ({
  method: 'POST',
  path: '/v1/graphql',
  headers: { ...json, ...headers },
  body: JSON.stringify({ query, variables }),
})

const rest = (headers: Sent['headers'], method: string, path: string, body?: object): Sent => ({
  method,
  path,
  headers: { ...(body && json), ...headers },
  ...(body && { body: JSON.stringify(body) }),
})

/** Selects every type of the schema thirty times, with its nested fields. */
const introspection = (index: number): string => {
  const aliases = repeated(29, (alias) => `a${alias}: types { ...T }`)
  return `query q${index} { __schema { types { ...T } ${aliases} } } fragment T on __Type { fields { name type { fields { name args { name type { name } } type { kind name } } } } }`
}

const textConditions = Array.from({ length: 99 }, (_, index) => ({ description: { contains: `nothing-${index}` } }))
const sixLists = `query ($filter: AccountFilter) { ${repeated(6, (alias) => `a${alias}: accountList(filter: $filter, search: "nowhere") { total data { id } }`)} }`
const filters = [{ region: { eq: 'EMEA' } }, { parent: { name: { contains: 'x' } } }, { children: { some: {} } }]

const items = Array.from({ length: 14_000 }, (_, item) => item)
const largeBodies = [
  { name: 'Large', metadata: items.slice(0, 4_900).map((item) => ({ item })) },
  { name: 'Large', metadata: { items } },
  Object.fromEntries(items.map((item) => [`unknown${item}`, item])),
  { name: 'Large', tags: items },
  { name: 'Large', description: 'x'.repeat(1_000_000) },
  { name: 'Large', metadata: items.slice(0, 9_900) },
].map((body) => JSON.stringify(body).replaceAll('99,', '99.1234567890123456789,'))

/** Requests with which one caller could block all others, and the most expensive allowed requests. */
export function attacksOf({ headers, email, accountId }: Tenant): readonly Attack[] {
  return [
    {
      name: 'introspection with thirty aliases',
      times: 70,
      width: 8,
      request: (index) => graphql(headers, introspection(index)),
      statuses: [400],
    },
    {
      name: 'values nested three thousand levels deep',
      times: 60,
      width: 8,
      request: (index) => {
        const value = '['.repeat(3000 + index) + ']'.repeat(3000 + index)
        return graphql(
          headers,
          index % 2 === 0
            ? `{ accountList(zz: ${value}) { total } }`
            : `query ($a: JSON = ${value}) { accountList(filter: {customFields: $a}) { total } }`,
        )
      },
      statuses: [400],
    },
    {
      name: 'six aliases of a list with 99 text conditions',
      times: 60,
      width: 16,
      request: () => graphql(headers, sixLists, { filter: { or: textConditions } }),
      statuses: [400],
    },
    {
      name: 'lists filtered by text, counted, and sorted by a column without an index',
      times: 80,
      width: 16,
      request: (index) =>
        index % 2 === 0
          ? rest(headers, 'GET', `/v1/accounts?search=nowhere-${index}&sortBy=billingCity&limit=100`)
          : graphql(headers, `{ accountList(search: "nowhere${index}", limit: 100) { total data { id name } } }`),
      statuses: [200, 400, 429, 503],
    },
    {
      name: 'statistics of all accounts',
      times: 60,
      width: 16,
      request: () => rest(headers, 'GET', '/v1/accounts/stats'),
      statuses: [200, 400, 429, 503],
    },
    {
      name: 'far pages with the most columns and rows',
      times: 40,
      width: 16,
      request: (index) => rest(headers, 'GET', `/v1/accounts?limit=100&page=${900 + index}`),
      statuses: [200, 400, 429, 503],
    },
    {
      name: 'documents that are all different',
      times: 300,
      width: 8,
      request: (index) =>
        graphql(
          headers,
          `query q${index} { ${repeated(14, (alias) => `a${index}_${alias}: accountList(limit: 1) { data { id n${index}: name } }`)} }`,
        ),
      statuses: [200],
    },
    {
      name: 'filters that are all different',
      times: 200,
      width: 8,
      request: (index) =>
        graphql(
          headers,
          `
            query ($filter: AccountFilter) {
              accountList(filter: $filter, limit: 1, orderBy: [{ field: name, direction: ASC }]) {
                data {
                  id
                }
              }
            }
          `,
          { filter: { and: filters.slice(0, 1 + (index % 3)), industry: { in: [`i${index}`] } } },
        ),
      statuses: [200, 400, 429, 503],
    },
    {
      name: 'requests for mails',
      times: 60,
      width: 16,
      request: () => rest({}, 'POST', '/v1/auth/forgot-password', { email }),
      statuses: [200, 429, 503],
    },
    {
      name: 'twenty sign-ins in one request',
      times: 20,
      width: 8,
      request: () =>
        graphql(
          {},
          `mutation { ${repeated(20, (alias) => `a${alias}: authLogin(input: {email: "${email}", password: "wrong"}) { accessToken }`)} }`,
        ),
      statuses: [400],
    },
    {
      name: 'wrong passwords',
      times: 60,
      width: 16,
      request: (index) => rest({}, 'POST', '/v1/auth/login', { email, password: `Wrong-password-${index}` }),
      statuses: [401, 429, 503],
    },
    {
      name: 'health and metrics',
      times: 300,
      width: 32,
      request: (index) => rest({}, 'GET', ['/metrics', '/health/ready', '/health/live'][index % 3]!),
      statuses: [200, 503],
    },
    {
      name: 'one large record many times in a response',
      times: 24,
      width: 8,
      request: () => ({
        ...graphql(
          headers,
          `{ account(id: "${accountId}") { children(first: 100) { nodes { ${repeated(4, (alias) => `a${alias}: parent { children(first: 20) { nodes { metadata } } }`)} } } } }`,
        ),
        // Each reads 8 MB, and an attacker's requests wait for one another.
        withinMs: 20_000,
      }),
      statuses: [200, 400, 429, 503],
    },
    {
      name: 'bodies with very many values',
      times: 60,
      width: 8,
      request: (index) => ({
        ...rest(headers, 'POST', '/v1/accounts'),
        headers: { ...json, ...headers },
        body: largeBodies[index % largeBodies.length]!,
      }),
      statuses: [201, 400, 413],
    },
    {
      name: 'variables with nothing but wrong items',
      times: 40,
      width: 8,
      request: () =>
        graphql(headers, 'query ($filter: AccountFilter) { accountList(filter: $filter) { data { id } } }', {
          filter: { industry: { in: Array.from({ length: 20_000 }, (_, item) => ({ item })) } },
        }),
      statuses: [400, 413],
    },
    {
      name: 'creates as fast as they go',
      times: 300,
      width: 16,
      request: (index) => rest(headers, 'POST', '/v1/accounts', { name: `Fast ${index}` }),
      statuses: [201, 429, 503],
    },
  ]
}
