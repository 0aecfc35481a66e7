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
import { SocketOperations } from './socket-operations.ts'
import { endWith } from './unreadable.ts'

/** How many websockets may be open at once. */
export interface SocketLimits {
  readonly perAddress: number
  /** That have not shown a credential yet. */
  readonly waiting: number
  readonly waitingPerAddress: number
}

const socketLimits: SocketLimits = { perAddress: 256, waiting: 1_024, waitingPerAddress: 32 }

export interface GraphqlSocketOptions extends Ports, Partial<SocketTimes> {
  /** Made with `shouldUpgradeCallback: asksForSocket`. */
  readonly server: Server
  readonly log: Pick<Logger, 'error' | 'debug'>
  /** Sent as API-Version with a refusal. */
  readonly apiVersion: string
  readonly limits?: Partial<SocketLimits>
  /** Operations that one connection may have running. */
  readonly operationsMax?: number
  /** Subscriptions that one connection may have. */
  readonly subscriptionsMax?: number
  /** How long a client may take to send `connection_init`. */
  readonly initMs?: number
  /** How often it is asked whether the credential of an open connection is still good. */
  readonly recheckMs?: number
}

export interface GraphqlSockets {
  /**
   * Takes no new connection or operation, lets requests finish, and closes every connection with 1001. Subscriptions end with
   * their connection; clients connect again after this code.
   */
  close(): Promise<void>
}

const closingMs = 5_000
const goingAway = 1001
const paths: ReadonlySet<string> = new Set(['/v1/graphql', '/graphql'])

/**
 * Whether a request asks for a websocket that is here. To be given to the server as `shouldUpgradeCallback`: whatever else offers
 * an upgrade, as clients that would rather speak HTTP/2 do with each request, gets the answer that it gets without.
 */
export const asksForSocket = ({ headers, url = '/' }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && paths.has(pathOf(url))

/** GraphQL over websockets (graphql-transport-ws), on the server and the paths of GraphQL over HTTP. */
export function graphqlSocket(options: GraphqlSocketOptions): GraphqlSockets {
  const {
    server,
    graph,
    edge,
    subscriptions,
    log,
    operationsMax = 32,
    subscriptionsMax = 100,
    initMs = 5_000,
  } = options
  const times: SocketTimes = {
    pingMs: options.pingMs ?? 20_000,
    idleMs: options.idleMs ?? 600_000,
    readMs: options.readMs ?? 20_000,
  }
  const { hooks } = new SocketOperations({ graph, edge, subscriptions, log, operationsMax, subscriptionsMax })
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
    () => open.forEach((socket) => void closeWhenOver(socket, options)),
    options.recheckMs ?? 2_000,
  )
  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (hasRoom(open, edge.addressOf(request), limits)) return sockets.handleUpgrade(request, stream, head, accept)
    const message = 'Too many websockets are open; close some and try again.'
    endWith(new Refusal('UNAVAILABLE', message, { retryAfter: 5 }), stream as Socket, options.apiVersion)
  }
  server.on('upgrade', upgrade)

  return {
    async close() {
      server.off('upgrade', upgrade)
      clearInterval(recheck)
      const all = Array.from(open, (socket) => socket.finish(goingAway, 'Going away'))
      const force = setTimeout(() => open.forEach((socket) => socket.terminate()), closingMs)
      await Promise.all(all)
      clearTimeout(force)
    },
  }
}

function hasRoom(open: ReadonlySet<OpenSocket>, address: string, limits: SocketLimits): boolean {
  let here = 0
  let waiting = 0
  let waitingHere = 0
  for (const socket of open) {
    const isHere = socket.address === address
    if (isHere) here++
    if (socket.incoming) continue
    waiting++
    if (isHere) waitingHere++
  }
  return here < limits.perAddress && waiting < limits.waiting && waitingHere < limits.waitingPerAddress
}

/** Ends what a session that is over had open: its user signed out, changed the password, or was deactivated. */
async function closeWhenOver(
  socket: OpenSocket,
  { edge, log }: Pick<GraphqlSocketOptions, 'edge' | 'log'>,
): Promise<void> {
  if (!socket.incoming) return
  try {
    await edge.currentCaller(socket.incoming)
  } catch (err) {
    if (endsCredential(err)) socket.close(CloseCode.Forbidden, err.code)
    // The database is away: that says nothing about the credential.
    else log.debug({ err }, 'a websocket was not checked again')
  }
}
