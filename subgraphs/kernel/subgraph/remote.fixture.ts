import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Caller } from '../context.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from './endpoint.ts'
import { RemoteSubgraph, type RemoteOptions } from './remote.ts'
import { serveSubgraph, type ServeOptions } from './serve.ts'

export const callerKey = 'a secret that is shared by the two ends'
export const log = pino({ level: 'silent' })

const caller: Caller = {
  kind: 'AUTOMATION',
  organizationId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  userId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  role: 'MEMBER',
  visibility: 'TEAM',
  ownerIds: ['019a0c5e-7f00-7c1d-8f21-64d0a95be713'],
  fields: null,
  entitlements: [],
  scopes: ['*'],
  credentialId: 'session-1',
  ip: '203.0.113.9',
  userAgent: 'test',
  origin: { kind: 'WORKFLOW', id: '019a0c5e-7f00-7a11-8c22-1d2e3f405162', runId: 'run-1' },
  depth: 2,
}

export const anOperation = (part: Partial<SubgraphRequest> = {}): SubgraphRequest => ({
  document: 'query { account(id: $id) { name } }',
  variables: { id: '1' },
  context: { caller, requestId: 'request-1', idempotency: null },
  ...part,
})

/** A subgraph that records its requests and always gives the same answer. */
export class FakeSubgraph implements SubgraphEndpoint {
  readonly name = 'crm'
  readonly received: SubgraphRequest[] = []

  constructor(
    private readonly answer: SubgraphResult | (() => Promise<SubgraphResult>) = {
      data: { account: { name: 'Ärger & Söhne' } },
    },
  ) {}

  async execute(request: SubgraphRequest): Promise<SubgraphResult> {
    this.received.push(request)
    return typeof this.answer === 'function' ? this.answer() : this.answer
  }
}

export async function serve(subgraph: SubgraphEndpoint, options: Partial<ServeOptions> = {}) {
  const server = await serveSubgraph({ subgraph, callerKey, host: '127.0.0.1', port: 0, log, ...options })
  onTestFinished(() => server.stop())
  return { ...server, url: `http://127.0.0.1:${server.port}/` }
}

export function remote(url: string, options: Partial<RemoteOptions> = {}): RemoteSubgraph {
  const endpoint = new RemoteSubgraph({ name: 'crm', url, callerKey, log, ...options })
  onTestFinished(() => endpoint.close())
  return endpoint
}

/** An HTTP server with the given listener, which counts its requests. */
export async function fakeServer(listener: RequestListener) {
  const counted = { requests: 0 }
  const server = createServer((request, response) => {
    counted.requests++
    listener(request, response)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, counted, sockets }
}
