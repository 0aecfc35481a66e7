import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { pino } from 'pino'
import type { ApiKeyRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { EventStreams } from '../edge/event-streams.ts'
import { StreamSlots } from '../edge/stream-slots.ts'
import { anEdge, type EdgeFixtureOptions } from '../edge/edge.fixture.ts'
import { type LibraryEndpoint, libraryEndpoints, librarySupergraph } from '../graph/library.fixture.ts'
import { Graph } from '../graph/graph.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { graphqlHttp } from './graphql-http.ts'
import { isGraphqlSocketUpgrade, graphqlSocket, type GraphqlSocketOptions } from './graphql-socket.ts'

/** A subgraph of the library that implements `Idempotency-Key`. A test can make its executions wait. */
export class IdempotentEndpoint implements SubgraphEndpoint {
  readonly name: string
  readonly library: LibraryEndpoint
  /** Every execution waits for this promise. */
  gate: Promise<void> = Promise.resolve()
  onExecute: () => void = () => {}
  onRequest: (request: SubgraphRequest) => void = () => {}
  readonly #answers = new Map<string, { fingerprint: string; answer: SubgraphResult | null }>()

  constructor(library: LibraryEndpoint) {
    this.name = library.name
    this.library = library
  }

  async execute(request: SubgraphRequest): Promise<SubgraphResult> {
    const claim = request.context.idempotency
    if (!claim) return this.#run(request)
    const known = this.#answers.get(claim.key)
    if (known && known.fingerprint !== claim.fingerprint) return refused('IDEMPOTENCY_KEY_REUSED')
    if (known && !known.answer) return refused('IDEMPOTENCY_IN_PROGRESS')
    if (known?.answer) return { ...known.answer, replayed: true }
    this.#answers.set(claim.key, { fingerprint: claim.fingerprint, answer: null })
    const answer = await this.#run(request)
    this.#answers.set(claim.key, { fingerprint: claim.fingerprint, answer })
    return answer
  }

  async #run(request: SubgraphRequest): Promise<SubgraphResult> {
    this.onExecute()
    this.onRequest(request)
    await this.gate
    return this.library.execute(request)
  }
}

const refused = (code: 'IDEMPOTENCY_KEY_REUSED' | 'IDEMPOTENCY_IN_PROGRESS'): SubgraphResult => ({
  data: null,
  errors: [new Refusal(code, `The key is refused with ${code}.`).toJSON()],
})

export interface LibraryServerOptions extends EdgeFixtureOptions {
  readonly direct?: boolean
  readonly socket?: Partial<
    Pick<GraphqlSocketOptions, 'operationsMax' | 'initMs' | 'pingMs' | 'idleMs' | 'readMs' | 'recheckMs' | 'limits'>
  >
}

/** The library has no subscriptions. */
const noEvents: EventFeed = {
  latest: () => Promise.reject(new Error('the library has no subscriptions')),
  oldest: () => Promise.reject(new Error('the library has no subscriptions')),
  read: () => Promise.reject(new Error('the library has no subscriptions')),
  watch: () => () => {},
}

export const versionServed = '1.2.3'

/** Serves the graph of the library over HTTP and websockets, with keys in memory and a clock that the test sets. */
export async function serveLibrary({ direct, socket: socketOptions, ...edgeSketch }: LibraryServerOptions = {}) {
  const sketch = anEdge(edgeSketch)
  const { edge } = sketch
  const endpoints = libraryEndpoints().map((library) => new IdempotentEndpoint(library))
  const logged: { level: number; msg: string; err?: { message: string } }[] = []
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const graph = Graph.create({ supergraph: librarySupergraph, endpoints })
  const eventStreams = new EventStreams()
  const subscriptions = new Subscriptions({
    graph,
    events: noEvents,
    slots: new StreamSlots(),
    log,
    sources: () => ({}),
  })
  const app = express()
  app.use(
    ['/v1/graphql', '/graphql'],
    graphqlHttp({
      graph,
      edge,
      subscriptions,
      eventStreams,
      findToken: async () => null,
      explorer: (_req, res) => void res.type('html').send('the explorer'),
      apiVersion: versionServed,
      log,
      ...(direct !== undefined && { direct }),
    }),
  )
  const server = createServer({ shouldUpgradeCallback: isGraphqlSocketUpgrade }, app)
  const socket = graphqlSocket({ server, graph, edge, subscriptions, log, apiVersion: versionServed, ...socketOptions })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const url = `${origin}/v1/graphql`

  return {
    ...sketch,
    endpoints,
    logged,
    origin,
    url,
    socketUrl: url.replace('http', 'ws'),
    socket,
    keyWith: (values: Partial<ApiKeyRecord> = {}): string => sketch.issue({ scopes: ['*'], ...values }).secret,
    executions: (): number => endpoints.reduce((count, { library }) => count + library.requests.length, 0),
    endpoint: (name: string): IdempotentEndpoint => endpoints.find((endpoint) => endpoint.name === name)!,
    async close() {
      await socket.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Serving = Awaited<ReturnType<typeof serveLibrary>>

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Sends a request and parses its JSON answer, in which the request id is replaced by `the request id`. */
export async function exchange(url: string, init: RequestInit = {}): Promise<Received> {
  const response = await fetch(url, init)
  const id = response.headers.get('x-request-id') ?? 'no request id'
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text.replaceAll(id, 'the request id')) }
}

export const posted = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** The body of an answer that refuses the whole request. */
export const refusalBody = (code: string, message: string, extensions: object = {}) => ({
  errors: [{ message, extensions: { code, requestId: 'the request id', ...extensions } }],
})
