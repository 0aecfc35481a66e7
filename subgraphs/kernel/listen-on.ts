import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError, type Config } from './config.ts'

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
