import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import { refusedAddress } from './outbound-error.ts'
import { vettedLookup, type ResolveAll } from './vetted-lookup.ts'

const connectMs = 10_000

/**
 * Opens connections only to addresses for which `isAllowed` is true. It connects to exactly the addresses that it has checked, so DNS cannot
 * change in between.
 */
export function vettedConnector(
  isAllowed: (address: string) => boolean,
  resolve: ResolveAll,
): buildConnector.connector {
  const lookup = vettedLookup(isAllowed, resolve)
  const connect = buildConnector({ timeout: connectMs, allowH2: false, lookup, autoSelectFamily: true })
  return (options, callback) => {
    // A connection to an address resolves no name.
    if (isIP(options.hostname) && !isAllowed(options.hostname)) return callback(refusedAddress(), null)
    connect(options, callback)
  }
}
