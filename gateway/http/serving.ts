import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Config } from '../../subgraphs/kernel/config.ts'
import { listenOn, stopAccepting } from '../../subgraphs/kernel/listen-on.ts'

const sendingMs = 100

/** Listens, and says at which address. */
export async function listening(server: Server, config: Pick<Config, 'host' | 'port'>): Promise<string> {
  const { address, family, port } = await listenOn(server, config)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Lets in who has connected already and nobody else, lets what runs finish. What comes on a connection that is kept open is answered and ends it; for a
 * moment none is closed under a client that is just sending.
 */
export async function stopped(server: Server, closeSockets: () => unknown): Promise<void> {
  server.prependListener('request', (_req, res) => (res.shouldKeepAlive = false))
  const closed = once(server, 'close')
  await stopAccepting(server)
  await closeSockets()
  const sweeping = setInterval(() => server.closeIdleConnections(), sendingMs)
  await closed
  clearInterval(sweeping)
}
