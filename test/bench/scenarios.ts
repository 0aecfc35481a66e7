import { accountFields, caseFields, nestedAccountFields } from './columns.ts'
import type { Tenant, Tenants } from './tenants.ts'

export interface HttpRequest {
  /** Additional ones; only `OneConnection` sends them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

export interface Scenario {
  readonly name: string
  readonly title: string
  /** Minimum of the CPU of the raw baseline divided by the CPU of the project. */
  readonly goal: number
  /** The tenant whose API key the requests use. */
  readonly tenant: keyof Tenants
  /** Fields of a response that differ between requests. */
  readonly changing?: readonly string[]
  /** The same request to a baseline whose table has fewer indexes, and the maximum of PostgreSQL's CPU per request of the project divided by its. */
  readonly before?: { readonly timesMax: number; readonly baseline: HttpRequest }
  project(id: string): HttpRequest
  baseline(id: string): HttpRequest
  /** The same request to a baseline that counts, and the minimum of the project's req/s divided by the baseline's. */
  readonly counting?: { readonly goal: number; readonly baseline: HttpRequest }
}

export const get = (path: string): HttpRequest => ({ method: 'GET', path })
export const post = (path: string, body: unknown): HttpRequest => ({ method: 'POST', path, body: JSON.stringify(body) })

// With fragments and aliases, as clients write their documents.
const fragment = (name: string, type: string, fields: readonly string[]): string =>
  `fragment ${name} on ${type} { ${fields.join(' ')} }`
const accountFragment = fragment('AccountFields', 'Account', accountFields)
const accountDocument = `query Account($id: ID!) { account(id: $id) { ...AccountFields } } ${accountFragment}`
const listDocument = `query Accounts { accountList(limit: 50) { data { ...AccountFields } page limit hasMore nextCursor } } ${accountFragment}`
const nestedDocument = `query AccountsWithCases { newest: accountList(limit: 10) { data { ...AccountRow newestCases: cases(first: 10) { nodes { ...CaseRow } } } } }
  ${fragment('AccountRow', 'Account', nestedAccountFields)} ${fragment('CaseRow', 'Case', caseFields)}`

const newAccount = {
  name: 'Fabrikam Residences',
  type: 'PROSPECT',
  industry: 'Real estate',
  website: 'https://www.fabrikam.example',
  phone: '+1 555 0100',
  description: 'Met at the autumn fair; wants an offer for three sites.',
  numberOfEmployees: 240,
  annualRevenue: 12_500_000.5,
  billingStreet: '1 Harbour Road',
  billingCity: 'Hamburg',
  billingCountry: 'DE',
  tags: ['fair', 'inbound'],
  tier: 'GOLD',
}

const newContact = {
  firstName: 'Ines',
  lastName: 'Duarte',
  email: 'ines.duarte@fabrikam.example',
  phone: '+351 21 555 0100',
  title: 'Head of logistics',
  department: 'Operations',
  mailingStreet: 'Rua da Praia 12',
  mailingCity: 'Lisbon',
  mailingCountry: 'PT',
  tags: ['fair', 'inbound'],
}

const newLead = {
  firstName: 'Jonas',
  lastName: 'Lindqvist',
  email: 'jonas.lindqvist@fabrikam.example',
  phone: '+46 8 465 004 12',
  company: 'Fabrikam Residences',
  title: 'Head of logistics',
  leadSource: 'WEB',
  website: 'https://www.fabrikam.example',
  industry: 'Real estate',
  numberOfEmployees: 240,
  description: 'Met at the autumn fair; wants an offer for three sites.',
  tags: ['fair', 'inbound'],
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'rest-one',
    title: 'REST by id',
    goal: 0.85,
    tenant: 'main',
    project: (id) => get(`/v1/accounts/${id}`),
    baseline: (id) => get(`/v1/accounts/${id}`),
  },
  {
    name: 'rest-list',
    title: 'REST list of 50 with total',
    goal: 1,
    tenant: 'main',
    project: () => get('/v1/accounts?limit=50'),
    baseline: () => get('/v1/accounts?limit=50'),
    counting: { goal: 4, baseline: get('/counted/v1/accounts?limit=50') },
  },
  {
    name: 'graphql-one',
    title: 'GraphQL by id',
    goal: 0.85,
    tenant: 'main',
    project: (id) => post('/v1/graphql', { query: accountDocument, variables: { id } }),
    baseline: (id) => post('/graphql/account', { query: accountDocument, variables: { id } }),
  },
  {
    name: 'graphql-list',
    title: 'GraphQL list of 50',
    goal: 0.8,
    tenant: 'main',
    project: () => post('/v1/graphql', { query: listDocument }),
    baseline: () => post('/graphql/list', { query: listDocument }),
  },
  {
    name: 'graphql-nested',
    title: 'GraphQL 10 accounts with 10 cases each',
    goal: 0.75,
    tenant: 'main',
    project: () => post('/v1/graphql', { query: nestedDocument }),
    baseline: () => post('/graphql/nested', { query: nestedDocument }),
  },
  {
    name: 'rest-create',
    title: 'REST create with its event',
    goal: 0.75,
    before: { timesMax: 1.7, baseline: post('/before/v1/accounts', newAccount) },
    tenant: 'writing',
    changing: ['id', 'createdAt', 'updatedAt'],
    project: () => post('/v1/accounts', newAccount),
    baseline: () => post('/v1/accounts', newAccount),
  },
  {
    name: 'rest-create-contact',
    title: 'REST create of a contact with its event',
    goal: 0.6,
    tenant: 'writing',
    changing: ['id', 'createdAt', 'updatedAt'],
    project: () => post('/v1/contacts', newContact),
    baseline: () => post('/v1/contacts', newContact),
  },
  {
    name: 'rest-create-lead',
    title: 'REST create of a lead with its event',
    goal: 0.6,
    tenant: 'writing',
    changing: ['id', 'createdAt', 'updatedAt'],
    project: () => post('/v1/leads', newLead),
    baseline: () => post('/v1/leads', newLead),
  },
]

/** The bytes of a request on a keep-alive connection. */
export function wireFormOf({ method, path, body = '' }: HttpRequest, tenant: Pick<Tenant, 'secret'> | null): string {
  const key = tenant ? `X-API-Key: ${tenant.secret}\r\n` : ''
  const content = body ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : ''
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${key}${content}\r\n${body}`
}
