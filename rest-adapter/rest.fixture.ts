import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { buildSubgraphSchema } from '@apollo/subgraph'
import express from 'express'
import { graphql, parse } from 'graphql'
import { anEdge, type EdgeFixtureOptions } from '../gateway/edge/edge.fixture.ts'
import { EventStreams } from '../gateway/edge/event-streams.ts'
import { StreamSlots } from '../gateway/edge/stream-slots.ts'
import { composeSupergraph } from '../gateway/graph/compose.ts'
import { Graph } from '../gateway/graph/graph.ts'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import { builtInShapes } from '../subgraphs/kernel/record/shape-source.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from '../subgraphs/kernel/subgraph/endpoint.ts'
import { loadContract } from './contract.ts'
import type { DeprecatedCall } from '../subgraphs/kernel/credentials/public.ts'
import { restRoutes } from './routes.ts'
import type { CustomHandler } from './custom-handler.ts'

export const partsContract = loadContract(fileURLToPath(new URL('./fixture', import.meta.url)))

export const partId = '019aa000-0000-7000-8000-000000000001'
export const noPartId = '019aa000-0000-7000-8000-000000000002'

const sdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@requiresScopes", "@tag"])
  scalar JSON
  type Part @requiresScopes(scopes: [["READ_ACCOUNTS"]]) { id: ID! version: Int! name: String! }
  input PartInput { name: String! kind: String weight: Float madeAt: String pieces: [PieceInput!] metadata: JSON }
  input PieceInput { id: ID! }
  type Query {
    part(id: ID!): Part
    partList(kind: String, isActive: Boolean, limit: Int, since: String, ids: [ID!], customFields: JSON): [Part!]!
    partStats: Int! @requiresScopes(scopes: [["READ_ACCOUNTS"]])
  }
  type Mutation {
    partCreate(input: PartInput!): Part @requiresScopes(scopes: [["WRITE_ACCOUNTS"]])
    partUpdate(id: ID!, input: PartInput!, expectedVersion: Int): Part @requiresScopes(scopes: [["WRITE_ACCOUNTS"]])
    partDelete(id: ID!, expectedVersion: Int): ID @requiresScopes(scopes: [["WRITE_ACCOUNTS"]])
    partLabel(id: ID!, text: String): Part @requiresScopes(scopes: [["WRITE_ACCOUNTS"]])
      @tag(name: "limit/bodyBytes/2097152") @tag(name: "limit/deadlineMs/35000")
  }`

const aPart = (name = 'bolt') => ({ id: partId, version: 7, name })

function named(name: string) {
  if (name === 'used') {
    throw new Refusal('UNIQUE_VIOLATION', 'The name is used.', {
      errors: [{ path: 'input.name', code: 'NOT_UNIQUE', message: 'Used.' }],
    })
  }
  if (name === 'bug') throw new Error('select * from secrets')
  return aPart(name)
}

const resolvers = {
  Query: {
    part: (_: unknown, { id }: { id: string }) => {
      if (id !== partId) throw new Refusal('NOT_FOUND', 'The part was not found.')
      return aPart()
    },
    partList: () => [aPart()],
    partStats: () => 1,
  },
  Mutation: {
    partCreate: (_: unknown, { input }: { input: { name: string } }) => named(input.name),
    partUpdate: (_: unknown, { input }: { input: { name: string } }) => named(input.name),
    partDelete: (_: unknown, { id }: { id: string }) => id,
    partLabel: () => aPart(),
  },
}

/** A subgraph of parts that records its requests. */
class Parts implements SubgraphEndpoint {
  readonly name = 'parts'
  readonly requests: SubgraphRequest[] = []
  isDead = false
  private readonly schema = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers }])

  async execute(request: SubgraphRequest): Promise<SubgraphResult> {
    this.requests.push(request)
    if (this.isDead) throw new Error('connect ECONNREFUSED')
    const { data, errors } = await graphql({
      schema: this.schema,
      source: request.document,
      variableValues: request.variables,
      contextValue: request.context,
    })
    const replayed = request.context.idempotency?.key === 'seen'
    return {
      data: data as Record<string, unknown>,
      ...(errors && { errors: errors.map((error) => error.toJSON()) }),
      replayed,
    }
  }
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Serves the REST adapter on a free port, with a real edge, a real graph and a subgraph of parts. The time is fixed. */
export async function partsServer(watch: CustomHandler = () => [], edgeOptions: EdgeFixtureOptions = {}) {
  const eventStreams = new EventStreams()
  const { edge, issue, authorize, signIn, refused, finished } = anEdge(edgeOptions)
  const { secret } = issue({ scopes: ['WRITE_ACCOUNTS'] })
  const reader = issue({ id: 'key-2' }).secret
  const parts = new Parts()
  const graph = Graph.create({ supergraph: composeSupergraph([{ name: 'parts', sdl }]), endpoints: [parts] })
  const deprecated: DeprecatedCall[] = []
  const app = express().disable('x-powered-by')
  const { router } = await restRoutes({
    contract: partsContract,
    publicUrl: async () => 'https://crm.example.com',
    edge,
    graph,
    shapes: builtInShapes,
    clock: { now: () => new Date('2026-03-01T12:00:00Z') },
    deprecatedCalls: { record: (call) => void deprecated.push(call) },
    streams: {
      eventStreams,
      streamSlots: new StreamSlots({ perOrganization: 1 }),
      subscriptions: { open: () => Promise.reject(new Error('the parts have no subscriptions')) },
    },
    customHandlers: new Map<string, CustomHandler>([
      ['partEcho', ({ path }) => path['text']],
      ['partWatch', (call) => watch(call)],
    ]),
  })
  app.use(router)
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function send(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}) {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined
    const response = await fetch(base + path, {
      method,
      headers: {
        'X-API-Key': secret,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = text === '' ? null : (JSON.parse(text) as Record<string, unknown>)
    return { status: response.status, headers: response.headers, body: json, text }
  }

  return {
    send,
    base,
    parts,
    finished,
    eventStreams,
    deprecated,
    issue,
    authorize,
    signIn,
    refused,
    reader,
    writer: secret,
    close: () => void server.close(),
  }
}
