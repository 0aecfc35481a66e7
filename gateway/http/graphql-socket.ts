import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import type { Logger } from 'pino'
import { WebSocketServer, type WebSocket } from 'ws'
import { pathOf } from '../edge/blocked-path.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { bodyBytesMax } from '../edge/body.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import { OpenSocket, type SocketTimes } from './open-socket.ts'
import type { Ports } from './ports.ts'
import { SocketOperations, type OperationsOptions } from './socket-operations.ts'
import { refuseAndClose } from './malformed-request.ts'

/** The maximum numbers of open websockets. */
export interface SocketLimits {
  readonly perAddress: number
  /** Websockets that have not sent a credential yet. */
  readonly unauthenticated: number
  readonly unauthenticatedPerAddress: number
}

const socketLimits: SocketLimits = { perAddress: 256, unauthenticated: 1_024, unauthenticatedPerAddress: 32 }

export interface GraphqlSocketOptions extends Ports, Partial<SocketTimes>, Pick<OperationsOptions, 'onOperation'> {
  /** Must be created with `shouldUpgradeCallback: isGraphqlSocketUpgrade`. */
  readonly server: Server
  readonly log: Pick<Logger, 'error' | 'debug'>
  /** Sent as API-Version with a refusal. */
  readonly apiVersion: string
  readonly limits?: Partial<SocketLimits>
  /** Unanswered operations of one connection. */
  readonly operationsMax?: number
  /** Open subscriptions of one connection. */
  readonly subscriptionsMax?: number
  /** How long a client may take to send `connection_init`. */
  readonly initMs?: number
  /** The interval in which the credential of each open connection is checked. */
  readonly recheckMs?: number
}

export interface GraphqlSockets {
  /**
   * Accepts no new connection or operation, waits for running operations, and closes every connection with 1001. Subscriptions end
   * with their connection; clients must reconnect after this code.
   */
  close(): Promise<void>
}

const closingMs = 5_000
const goingAway = 1001
const paths: ReadonlySet<string> = new Set(['/v1/graphql', '/graphql'])

/**
 * Whether a request upgrades to a GraphQL websocket. Pass it to the server as `shouldUpgradeCallback`: a request that offers another
 * upgrade, as HTTP/2 clients do with each request (`h2c`), is then answered as if it had not offered it.
 */
export const isGraphqlSocketUpgrade = ({ headers, url = '/' }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && paths.has(pathOf(url))

/** GraphQL over websockets (graphql-transport-ws), on the server and the paths of GraphQL over HTTP. */
export function graphqlSocket(options: GraphqlSocketOptions): GraphqlSockets {
  const { server, edge, log, operationsMax = 32, subscriptionsMax = 100, initMs = 5_000 } = options
  const times: SocketTimes = {
    pingMs: options.pingMs ?? 20_000,
    idleMs: options.idleMs ?? 600_000,
    readMs: options.readMs ?? 20_000,
  }
  const { hooks } = new SocketOperations({ ...options, operationsMax, subscriptionsMax })
  const protocol = makeServer({ ...hooks, connectionInitWaitTimeout: initMs })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bodyBytesMax, handleProtocols })
  const open = new Set<OpenSocket>()
  const limits = { ...socketLimits, ...options.limits }

  const accept = (client: WebSocket, request: IncomingMessage): void => {
    const socket = new OpenSocket(client, request, edge.addressOf(request), times, log)
    open.add(socket)
    const closed = protocol.opened(socket, socket)
    client.once('close', (code, reason) => {
      open.delete(socket)
      void closed(code, String(reason))
    })
  }
  const recheck = setInterval(
    () => open.forEach((socket) => void closeIfCredentialEnded(socket, options)),
    options.recheckMs ?? 2_000,
  )
  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const refusal = refusalOf(open, edge.addressOf(request), limits)
    if (refusal) refuseAndClose(refusal, stream as Socket, options.apiVersion)
    else sockets.handleUpgrade(request, stream, head, accept)
  }
  server.on('upgrade', upgrade)

  return {
    async close() {
      server.off('upgrade', upgrade)
      clearInterval(recheck)
      const all = Array.from(open, (socket) => socket.closeWhenAnswered(goingAway, 'Going away'))
      const force = setTimeout(() => open.forEach((socket) => socket.terminate()), closingMs)
      await Promise.all(all)
      clearTimeout(force)
    },
  }
}

/** The limits of an address are the client's own; that of all unauthenticated websockets is the state of the server. */
function refusalOf(open: ReadonlySet<OpenSocket>, address: string, limits: SocketLimits): Refusal | null {
  let ofAddress = 0
  let unauthenticated = 0
  let unauthenticatedOfAddress = 0
  for (const socket of open) {
    const isOfAddress = socket.address === address
    if (isOfAddress) ofAddress++
    if (socket.incoming) continue
    unauthenticated++
    if (isOfAddress) unauthenticatedOfAddress++
  }
  if (ofAddress >= limits.perAddress || unauthenticatedOfAddress >= limits.unauthenticatedPerAddress) {
    const message = 'Too many websockets are open; close some, then retry in 5 s.'
    return new Refusal('CONNECTION_LIMIT_REACHED', message, { retryAfter: 5 })
  }
  if (unauthenticated < limits.unauthenticated) return null
  const message = 'Too many websockets of all clients wait for their credential; retry in 5 s.'
  return new Refusal('UNAVAILABLE', message, { retryAfter: 5 })
}

/** Closes a connection whose credential is no longer valid, for example because its user signed out or was deactivated. */
async function closeIfCredentialEnded(
  socket: OpenSocket,
  { edge, log }: Pick<GraphqlSocketOptions, 'edge' | 'log'>,
): Promise<void> {
  if (!socket.incoming) return
  try {
    await edge.currentCaller(socket.incoming)
  } catch (err) {
    if (endsCredential(err)) socket.close(CloseCode.Forbidden, err.code)
    // Other errors, such as an unreachable database, do not mean that the credential is invalid.
    else log.debug({ err }, 'the credential of a websocket could not be checked')
  }
}
