import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { refusedAddress } from './outbound-error.ts'

/** All addresses of a name, such as `lookup` of `node:dns`. */
export type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Finds the addresses of a name, all of which must be allowed: one refused address refuses the name. */
export const vettedLookup =
  (isAllowed: (address: string) => boolean, resolve: ResolveAll): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      if (addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address))) {
        return done(refusedAddress(), [])
      }
      if (options.all) done(null, addresses)
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
