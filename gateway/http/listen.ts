import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { listenOn, stopAccepting } from '../../subgraphs/kernel/network/listen-on.ts'

const sendingMs = 100

/** Starts listening and returns the URL. */
export async function startListening(server: Server, config: Pick<Config, 'host' | 'port'>): Promise<string> {
  const { address, family, port } = await listenOn(server, config)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Stops accepting connections and waits for running requests. A further request on a keep-alive connection is answered and then
 * closes the connection. Idle connections are closed only after 100 ms, so that a request that is just being sent is not lost.
 */
export async function stopGracefully(server: Server, closeSockets: () => unknown): Promise<void> {
  server.prependListener('request', (_req, res) => (res.shouldKeepAlive = false))
  const closed = once(server, 'close')
  await stopAccepting(server)
  await closeSockets()
  const sweeping = setInterval(() => server.closeIdleConnections(), sendingMs)
  await closed
  clearInterval(sweeping)
}
