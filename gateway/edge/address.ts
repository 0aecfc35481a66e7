import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import { isListed, normaliseAddress } from '../../subgraphs/kernel/address.ts'

/** What the edge reads of a request. A websocket that sends its credential later hands in headers of its own making. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly url?: string | undefined
  /** Absent on a websocket. */
  readonly method?: string | undefined
  /** Express shortens `url` in mounted routers and keeps the whole here. */
  readonly originalUrl?: string
}

const userAgentLengthMax = 512

export const userAgentOf = ({ headers }: Pick<Arrival, 'headers'>): string =>
  headers['user-agent']?.slice(0, userAgentLengthMax) ?? ''

const written = new LRUCache<string, string>({ max: 10_000 })

function normalised(text: string): string {
  let address = written.get(text)
  if (address === undefined) {
    address = normaliseAddress(text) ?? 'unknown'
    written.set(text, address)
  }
  return address
}

/** Some proxies append the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1')

/**
 * The connecting client. X-Forwarded-For counts only as far as it was written by proxies of `trusted`: from the right, the
 * first hop that is not one of them. Everything further left is the client's own claim.
 */
export function clientAddress(request: Pick<Arrival, 'headers' | 'socket'>, trusted: readonly string[]): string {
  let address = normalised(request.socket.remoteAddress ?? '')
  if (trusted.length === 0) return address
  const forwarded = request.headers['x-forwarded-for']
  if (!forwarded) return address
  const hops = String(forwarded).split(',')
  while (hops.length > 0 && isListed(address, trusted)) {
    const hop = normaliseAddress(withoutPort(hops.pop()!.trim()))
    if (hop === null) break
    address = hop
  }
  return address
}
