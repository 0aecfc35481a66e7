import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { cancellationOnDisconnect } from '../cancellation.ts'
import { systemClock, type Clock } from '../time/clock.ts'
import { defectMessage, statusOfCode, type ErrorCode } from '../errors.ts'
import { listenOn, stopAccepting } from '../network/listen-on.ts'
import { activeTracing, inSpan } from '../tracing/tracing.ts'
import { callerHeader, isSignedCaller } from './caller-token.ts'
import type { SubgraphEndpoint, SubgraphRequest } from './endpoint.ts'
import { isQuery, readRequest, requestBytesMax, writeAnswer } from './wire.ts'

export interface ServeOptions {
  readonly subgraph: SubgraphEndpoint
  /** The secret shared with the gateway. */
  readonly callerKey: string
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly log: Logger
  readonly clock?: Clock
  /** Rejects, or resolves to false, while the subgraph cannot execute operations. */
  readonly isReady?: () => Promise<boolean>
  /** Whether the process will stop: each answer then closes its connection, which also tells the gateway. */
  readonly isStopping?: () => boolean
}

export interface SubgraphServer {
  readonly port: number
  /** Stops accepting connections, finishes the requests in progress, then resolves. */
  stop(): Promise<void>
}

interface Reply {
  readonly status: number
  readonly text: string
}

/** Longer than the gateway keeps idle connections, so that this end never closes a connection that the gateway is about to use. */
const keepAliveMs = 65_000
const requestTimeoutMs = 10_000
const stopTimeoutMs = 15_000
/** Delay before idle connections are closed, because the gateway may be sending a request at that moment. */
const sendingMs = 100

const refused = (code: ErrorCode, message: string): Reply => ({
  status: statusOfCode[code],
  text: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
})

const health = (isHealthy: boolean): Reply => ({
  status: isHealthy ? 200 : 503,
  text: JSON.stringify({ status: isHealthy ? 'ok' : 'unavailable' }),
})

/** Serves one subgraph to the gateway only: `POST /` with a signed caller, and the two health paths. */
export async function serveSubgraph(options: ServeOptions): Promise<SubgraphServer> {
  let isStopping = false
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<Reply> => {
    const path = request.url?.split('?')[0]
    if (request.method === 'GET' && path === '/health/live') return health(true)
    if (request.method === 'GET' && path === '/health/ready') return isStopping ? health(false) : readiness(options)
    if (path !== '/') return refused('NOT_FOUND', 'This path does not exist. Send operations to /.')
    if (request.method !== 'POST') return refused('METHOD_NOT_ALLOWED', 'Send operations with POST.')
    return execute(options, request, response)
  }
  const server = createServer(
    { keepAliveTimeout: keepAliveMs, requestTimeout: requestTimeoutMs },
    (request, response) => {
      void answer(request, response)
        .catch((error: unknown) => {
          options.log.error({ err: error, subgraph: options.subgraph.name }, 'a request failed')
          return refused('INTERNAL', defectMessage)
        })
        .then((reply) => sendReply(response, reply, isStopping || options.isStopping?.() === true))
    },
  )
  const { port } = await listenOn(server, options)
  return {
    port,
    stop() {
      isStopping = true
      return closed(server)
    },
  }
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  await stopAccepting(server)
  const sweeping = setInterval(() => server.closeIdleConnections(), sendingMs)
  const force = setTimeout(() => server.closeAllConnections(), stopTimeoutMs)
  await end
  clearInterval(sweeping)
  clearTimeout(force)
}

function sendReply(response: ServerResponse, { status, text }: Reply, isLast: boolean): void {
  const isBodyUnread = status === statusOfCode.PAYLOAD_TOO_LARGE
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...((isLast || isBodyUnread) && { connection: 'close' }),
  })
  response.end(text)
}

async function readiness({ isReady }: ServeOptions): Promise<Reply> {
  try {
    return health((await isReady?.()) ?? true)
  } catch {
    return health(false)
  }
}

async function execute(
  { subgraph, callerKey, clock = systemClock }: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply> {
  const body = await bodyOf(request)
  if (!body) return refused('PAYLOAD_TOO_LARGE', `A request must have at most ${requestBytesMax} bytes.`)
  if (!isSignedCaller(request.headers[callerHeader], { subgraph: subgraph.name, body }, callerKey, clock.now())) {
    return refused(
      'UNAUTHENTICATED',
      `Only the gateway may call this subgraph: the ${callerHeader} header must hold its signature of this body.`,
    )
  }
  let operation: SubgraphRequest
  try {
    operation = readRequest(body.toString())
  } catch {
    return refused('INVALID_JSON', 'The body must be a GraphQL request with query, variables and extensions.context.')
  }
  const reads = isQuery(operation.document)
  const accepted = reads ? cancelledWith(response, operation) : operation
  const tracing = activeTracing()
  const traceparent = String(request.headers['traceparent'] ?? '')
  const result = tracing
    ? inSpan(tracing, `execute in ${subgraph.name}`, { kind: 'SERVER', traceparent }, () => subgraph.execute(accepted))
    : subgraph.execute(accepted)
  const { limits } = operation.context
  return { status: 200, text: writeAnswer(await result, { isMutation: !reads, limits }) }
}

/** Cancels a read when the gateway closes the connection, which it does when the client has disconnected. */
const cancelledWith = (response: ServerResponse, operation: SubgraphRequest): SubgraphRequest => ({
  ...operation,
  context: { ...operation.context, cancellation: cancellationOnDisconnect(response) },
})

/** The body; null when it is too large, and then the rest is not read. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop must not close the connection, because the refusal is sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > requestBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
