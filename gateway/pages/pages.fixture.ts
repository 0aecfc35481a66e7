import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { buildSchema, graphql } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import { isPageRequest, explorerPage, pagesRouter, type PagesOptions } from './pages.ts'

export const fixtureKey = 'crm_demo_0123456789abcdef'

const schema = buildSchema(`
  "The field a list of accounts is ordered by."
  enum AccountOrderField { name annualRevenue createdAt }
  enum CaseOrderField { caseNumber createdAt }
  enum SortOrder { ASC DESC }
  enum CasePriority { LOW MEDIUM HIGH URGENT }
  enum CaseType { QUESTION INCIDENT PROBLEM }
  input AccountOrder { field: AccountOrderField!, direction: SortOrder! }
  input CaseOrder { field: CaseOrderField!, direction: SortOrder! }
  enum CaseStatus { NEW OPEN CLOSED }
  input CaseStatusFilter { eq: CaseStatus }
  input CaseFilter { status: CaseStatusFilter }
  input CaseCreateInput { subject: String!, priority: CasePriority, type: CaseType }

  "A company the organization deals with."
  type Account {
    id: ID!
    name: String!
    industry: String
    "Yearly revenue in the organization's currency."
    annualRevenue: Float
    accountStatus: String
    cases(filter: CaseFilter, first: Int = 50): CaseConnection!
  }
  type AccountPage { total: Int!, data: [Account!]! }
  type Case { id: ID!, caseNumber: Int!, subject: String!, status: String!, priority: String, createdAt: String!, account: Account }
  type CaseConnection { totalCount: Int, nodes: [Case!]! }
  type CasePage { total: Int!, hasMore: Boolean!, data: [Case!]! }

  type Query {
    accountList(limit: Int = 50, orderBy: [AccountOrder!]): AccountPage!
    caseList(search: String, limit: Int = 50, orderBy: [CaseOrder!]): CasePage!
  }
  type Mutation { caseCreate(input: CaseCreateInput!): Case! }
  type Subscription { caseOpened: Case! }
`)

const cases = [
  { id: 'c1', caseNumber: 7, subject: 'Invoice is missing', status: 'OPEN', priority: 'HIGH', createdAt: '2026-01-05' },
]
const accounts = [
  { id: 'a1', name: 'Northwind Freight', industry: 'Logistics', annualRevenue: 91_000_000 },
  { id: 'a2', name: 'Alder & Finch', industry: 'Retail', annualRevenue: 48_500_000 },
].map((account) => ({ ...account, accountStatus: 'ACTIVE', cases: { totalCount: 1, nodes: cases } }))

const rootValue = {
  accountList: ({ limit }: { limit: number }) => ({ total: accounts.length, data: accounts.slice(0, limit) }),
  caseList: () => ({ total: cases.length, hasMore: false, data: cases }),
  caseCreate: () => cases[0],
}

/** A websocket sends its key in `connection_init`. */
function serveSubscriptions(server: Server): WebSocketServer {
  const sockets = new WebSocketServer({ server, path: '/v1/graphql' })
  const roots = {
    subscription: {
      caseOpened: async function* () {
        yield { caseOpened: cases[0] }
      },
    },
  }
  useServer(
    { schema, roots, onConnect: ({ connectionParams }) => connectionParams?.['X-API-Key'] === fixtureKey },
    sockets,
  )
  return sockets
}

const accountSchema = {
  type: 'object',
  description: 'A company the organization deals with.',
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: { type: 'string', example: 'Northwind Freight' },
    annualRevenue: { type: ['number', 'null'] },
    type: { type: 'string', enum: ['PROSPECT', 'CUSTOMER', 'PARTNER'] },
  },
}

const errorSchema = {
  type: 'object',
  properties: { code: { type: 'string', example: 'NOT_FOUND' }, message: { type: 'string' } },
}

/** A body that only the example of the operation has. */
export const exampleAccount = { name: 'Halvorsen Marine AS', type: 'CUSTOMER' }

const json = (schema: object) => ({ 'application/json': { schema } })

export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'CRM Platform API',
    version: '1.1.0',
    description: 'Accounts, cases and products. Every request carries an **API key** in `X-API-Key`.',
  },
  servers: [{ url: 'https://api.invalid' }],
  security: [{ apiKey: [] }],
  tags: [{ name: 'Accounts', description: 'Companies the organization deals with.' }],
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    schemas: { Account: accountSchema, Error: errorSchema },
  },
  paths: {
    '/v1/accounts': {
      get: {
        operationId: 'accountList',
        tags: ['Accounts'],
        summary: 'List accounts',
        description: 'The accounts the caller may see, a page at a time. Scope: `READ_ACCOUNTS`.',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
        ],
        responses: {
          '200': {
            description: 'A page of accounts.',
            content: json({ type: 'array', items: { $ref: '#/components/schemas/Account' } }),
          },
          '401': { description: 'No valid key.', content: json({ $ref: '#/components/schemas/Error' }) },
        },
      },
      post: {
        operationId: 'accountCreate',
        tags: ['Accounts'],
        summary: 'Create an account',
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Account' }, example: exampleAccount },
          },
        },
        responses: { '201': { description: 'The account.', content: json({ $ref: '#/components/schemas/Account' }) } },
      },
    },
  },
}

function refuse(res: Response): void {
  res.status(401).json({ errors: [{ message: 'The API key is not valid.', extensions: { code: 'API_KEY_INVALID' } }] })
}

async function answer(req: Request, res: Response): Promise<void> {
  if (req.get('x-api-key') !== fixtureKey) return refuse(res)
  const { query, variables, operationName } = req.body as {
    query: string
    variables?: Record<string, unknown>
    operationName?: string
  }
  res.json(await graphql({ schema, source: query, rootValue, variableValues: variables, operationName }))
}

export interface Fixture {
  readonly origin: string
  close(): Promise<void>
}

/** Mounts the pages as the gateway does: the router, and the explorer for browsers at the GraphQL endpoint. */
export async function serveFixture(options: PagesOptions = { demo: true }): Promise<Fixture> {
  const app = express()
  app.use(pagesRouter(options))
  app.get(['/graphql', '/v1/graphql'], (req, res, next) =>
    isPageRequest(req) ? explorerPage(options)(req, res, next) : next(),
  )
  app.post(['/graphql', '/v1/graphql'], express.json(), answer)
  app.get('/openapi.json', (_req, res) => void res.json(openapi))
  app.get('/v1/accounts', (req, res) => (req.get('x-api-key') === fixtureKey ? void res.json(accounts) : refuse(res)))
  app.post('/v1/accounts', express.json(), (req, res) => void res.status(201).json(req.body))
  const server: Server = createServer(app)
  const sockets = serveSubscriptions(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        sockets.close()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
