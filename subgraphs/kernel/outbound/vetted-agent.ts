import { Agent } from 'undici'
import { vettedConnector } from './vetted-connector.ts'
import type { ResolveAll } from './vetted-lookup.ts'

const keepAliveMs = 4_000
const headerBytesMax = 16_384

/** Sends over HTTP/1.1 to addresses for which `isAllowed` is true. */
export const vettedAgent = (isAllowed: (address: string) => boolean, resolve: ResolveAll): Agent =>
  new Agent({
    connect: vettedConnector(isAllowed, resolve),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
    // One timeout for the whole exchange replaces those for its parts.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
