import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { refusedAddress } from './outbound-error.ts'

const connectMs = 10_000

/** All addresses of a name, such as `lookup` of `node:dns`. */
export type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Opens connections only to addresses for which `isAllowed` is true. It connects to exactly the addresses that it has checked, so DNS cannot
 * change in between. One refused address refuses the name.
 */
export function vettedConnector(
  isAllowed: (address: string) => boolean,
  resolve: ResolveAll,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      if (addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address))) {
        return done(refusedAddress(), [])
      }
      if (options.all) done(null, addresses)
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
  const connect = buildConnector({ timeout: connectMs, allowH2: false, lookup, autoSelectFamily: true })
  return (options, callback) => {
    // A connection to an address resolves no name.
    if (isIP(options.hostname) && !isAllowed(options.hostname)) return callback(refusedAddress(), null)
    connect(options, callback)
  }
}
