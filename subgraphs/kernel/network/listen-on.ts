import type { Server } from 'node:http'
import { Server as NetServer, type AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ConfigError, type Config } from '../config/config.ts'

const acceptingMs = 5_000
const quietTurns = 3
const quietMs = 0.3

interface Listening {
  readonly _handle?: { listen(backlog: number): unknown } | null
}

/** Listens on the host and port of these variables. Throws a ConfigError that names them when the address cannot be used. */
export async function listenOn(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  variables = 'HOST, PORT',
): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, host, resolve))
  } catch (cause) {
    throw new ConfigError(`${variables}: cannot listen on ${host}, port ${port} (${(cause as Error).message}).`, {
      cause,
    })
  }
  return server.address() as AddressInfo
}

/**
 * Stops accepting connections; open connections stay open. The operating system completes handshakes before the process accepts the
 * connections, and resets those that are not accepted when the server closes. Therefore this first shrinks the backlog, and closes
 * the server when no connection has arrived for a few rounds of the event loop.
 */
export async function stopAccepting(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void accepted++
  server.on('connection', count)
  // Node has no public way to change the backlog of a listening server. A client that finds it full retries, and is then refused.
  ;(server as unknown as Listening)._handle?.listen(0)
  const began = performance.now()
  for (let quiet = 0; quiet < quietTurns && performance.now() - began < acceptingMs;) {
    const before = accepted
    await nextTurn()
    const turned = performance.now()
    await nextTurn()
    // A connection may have arrived during a round that did much other work.
    const isQuiet = accepted === before && performance.now() - turned < quietMs
    quiet = isQuiet ? quiet + 1 : 0
  }
  server.off('connection', count)
  // http.Server.close would also close idle connections at once. It is called in the end, because it stops the timer of the timeouts.
  server.once('close', () => server.close())
  NetServer.prototype.close.call(server)
}
