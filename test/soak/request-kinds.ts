import { createHash } from 'node:crypto'
import { inventedKey } from '../../gateway/edge/edge.fixture.ts'
import { accountFields } from '../bench/columns.ts'

/** A request without its client address, which is added later. */
export interface SoakRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a GET request. */
  readonly body: string | null
}

/** A kind of request. All requests of the kind differ. */
export interface RequestKind {
  readonly name: string
  /** Number of requests in one round. */
  readonly count: number
  /** Expected statuses. */
  readonly expected: readonly number[]
  of(number: number): SoakRequest
}

const fields = accountFields.filter((name) => name !== 'metadata')
const selection = fields.join(' ')

/** Some of the fields; the choice differs for every number. */
const someFields = (number: number): string =>
  fields.filter((_, index) => index === 0 || (number * 2_654_435_761 + index * 40_503) % 7 < 3).join(' ')

const pick = <T>(items: readonly T[], number: number): T => items[number % items.length]!

const texts = ['name', 'industry', 'website', 'domain', 'phone', 'description', 'billingCity', 'region'] as const
const operators = ['eq', 'ne', 'contains', 'startsWith', 'endsWith'] as const

/** One to six conditions, with different fields and operators for every number. */
function filterOf(number: number): object {
  const conditions = Array.from({ length: 1 + (number % 6) }, (_, index) => {
    const seed = Math.floor(number / (index + 1)) + index
    return { [pick(texts, seed)]: { [pick(operators, Math.floor(seed / texts.length) + index)]: `x${number}` } }
  })
  return number % 2 === 0 ? { or: conditions } : { and: conditions }
}

const list =
  'query ($filter: AccountFilter, $orderBy: [AccountOrder!]) { accountList(filter: $filter, orderBy: $orderBy, limit: 5)'

export function requestKindsFor(secret: string, ids: readonly string[]): RequestKind[] {
  const withKey = { 'x-api-key': secret }
  const graphql = (query: string, variables = {}, extensions?: object): SoakRequest => ({
    path: '/v1/graphql',
    headers: { ...withKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables, ...(extensions && { extensions }) }),
  })
  const account = (number: number, asked: string): string => `account(id: "${pick(ids, number)}") { ${asked} }`
  const hashed = (query: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
  })
  return [
    {
      name: 'wide documents',
      count: 60,
      expected: [200],
      of: (number) => {
        const aliases = Array.from(
          { length: 20 },
          (_, index) => `a${number}_${index}: ${account(number + index, '...All')}`,
        )
        return graphql(`{ ${aliases.join(' ')} } fragment All on Account { ${selection} parent { ${selection} } }`)
      },
    },
    {
      name: 'small documents',
      count: 500,
      expected: [200],
      of: (number) => graphql(`{ a${number}: ${account(number, someFields(number))} }`),
    },
    {
      name: 'documents of two subgraphs',
      count: 60,
      expected: [200],
      of: (number) =>
        graphql(
          `{ a${number}: ${account(number, `${someFields(number)} cases(first: 2) { nodes { id subject account { ${someFields(number + 1)} } } }`)} }`,
        ),
    },
    {
      name: 'combinations of @include',
      count: 200,
      expected: [200],
      of: (number) => {
        const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
        const asked = names.map((name, index) => `${fields[index + 1]} @include(if: $${name})`).join(' ')
        const query = `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { ${account(0, `id ${asked}`)} }`
        return graphql(query, Object.fromEntries(names.map((name, index) => [name, (number >> index) % 2 === 1])))
      },
    },
    {
      name: 'filters',
      count: 300,
      expected: [200],
      of: (number) => graphql(`${list} { data { id name } } }`, { filter: filterOf(number) }),
    },
    {
      name: 'orders and selections',
      count: 200,
      expected: [200],
      of: (number) => {
        const orderBy = [0, 1, 2].map((index) => ({
          field: pick(
            ['name', 'industry', 'region', 'tier', 'rating', 'createdAt', 'annualRevenue'],
            number + index * (number % 5),
          ),
          direction: pick(['ASC', 'DESC'], number >> index),
        }))
        const distinct = orderBy.filter(({ field }, index) => orderBy.findIndex((one) => one.field === field) === index)
        return graphql(`${list} { data { ${someFields(number % 50)} } } }`, { orderBy: distinct })
      },
    },
    {
      name: 'introspections',
      count: 30,
      expected: [200],
      of: (number) =>
        graphql(
          `{ __schema { types { n${number}: name description fields { name description args { name } type { name } } } } }`,
        ),
    },
    {
      name: 'persisted queries',
      count: 300,
      expected: [200],
      of: (number) => {
        const query = `{ p${number}: __typename }`
        return graphql(query, {}, hashed(query))
      },
    },
    {
      name: 'REST lists',
      count: 300,
      expected: [200],
      of: (number) => ({
        path: `/v1/accounts?limit=${1 + (number % 20)}&${pick(['name', 'industry', 'type', 'ownerId'], number) === 'type' ? 'type=CUSTOMER' : `search=s${number}`}`,
        headers: withKey,
        body: null,
      }),
    },
    {
      name: 'unknown keys',
      count: 3000,
      expected: [401],
      of: () => ({ path: '/v1/accounts', headers: { 'x-api-key': inventedKey() }, body: null }),
    },
    {
      name: 'addresses',
      count: 15_000,
      expected: [401],
      of: () => ({ path: '/v1/accounts', headers: {}, body: null }),
    },
  ]
}
