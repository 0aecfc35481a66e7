import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import { depthHeader } from '../../subgraphs/kernel/automation/depth.ts'
import { isListed, normaliseAddress } from '../../subgraphs/kernel/network/address.ts'

/** The parts of a request that the edge reads. A websocket that sends its credential later builds these headers from its payload. */
export interface IncomingRequest {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly url?: string | undefined
  /** Absent on a websocket. */
  readonly method?: string | undefined
  /** Express shortens `url` in mounted routers and keeps the full URL here. */
  readonly originalUrl?: string
}

const userAgentLengthMax = 512

export const userAgentOf = ({ headers }: Pick<IncomingRequest, 'headers'>): string =>
  headers['user-agent']?.slice(0, userAgentLengthMax) ?? ''

/**
 * How many automations have started one another up to the one that sends this request; undefined for a client. The platform sets the header in the
 * requests of automations: it is the depth of what they start by it, one more than their own. A client that sets it has fewer automations started by
 * its changes.
 */
export function depthOf({ headers }: Pick<IncomingRequest, 'headers'>): number | undefined {
  const text = headers[depthHeader]
  const depth = typeof text === 'string' && /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  return depth === 0 ? undefined : depth - 1
}

const normalisedAddresses = new LRUCache<string, string>({ max: 10_000 })

function normalised(text: string): string {
  let address = normalisedAddresses.get(text)
  if (address === undefined) {
    address = normaliseAddress(text) ?? 'unknown'
    normalisedAddresses.set(text, address)
  }
  return address
}

/** Some proxies append the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1')

/**
 * The address of the connecting client: from the right, the first hop of X-Forwarded-For that is not a proxy of `trusted`.
 * Hops further left are ignored, because the client itself may have written them.
 */
export function clientAddress(
  request: Pick<IncomingRequest, 'headers' | 'socket'>,
  trusted: readonly string[],
): string {
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
