import type { Server } from 'node:http'
import { Server as NetServer, type AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ConfigError, type Config } from './config.ts'

const acceptingMs = 5_000
const quietTurns = 3
const quietMs = 0.3

interface Listening {
  readonly _handle?: { listen(backlog: number): unknown } | null
}

/** Listens where the configuration says; an address that cannot be had is refused with a ConfigError. */
export async function listenOn(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, host, resolve))
  } catch (cause) {
    throw new ConfigError(`HOST, PORT: cannot listen on ${host}, port ${port} (${(cause as Error).message}).`, {
      cause,
    })
  }
  return server.address() as AddressInfo
}

/**
 * Takes no new connection; those that are open stay as they are. The machine makes connections before they are accepted, and resets
 * what is not when the server closes: so it is told to make no more while one waits, and the server closes in a quiet moment.
 */
export async function stopAccepting(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void accepted++
  server.on('connection', count)
  // Node has no other way to change the queue of a server that listens. Whoever finds it full tries again, and is refused then.
  ;(server as unknown as Listening)._handle?.listen(0)
  const began = performance.now()
  for (let quiet = 0; quiet < quietTurns && performance.now() - began < acceptingMs;) {
    const before = accepted
    await nextTurn()
    const turned = performance.now()
    await nextTurn()
    // Somebody may have come during a turn in which much else was done.
    const isQuiet = accepted === before && performance.now() - turned < quietMs
    quiet = isQuiet ? quiet + 1 : 0
  }
  server.off('connection', count)
  // The server's own method closes idle connections at once.
  NetServer.prototype.close.call(server)
}
