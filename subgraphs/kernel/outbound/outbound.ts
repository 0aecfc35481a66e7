import { lookup as resolve } from 'node:dns'
import { lookup as lookupAll } from 'node:dns/promises'
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isListed } from '../network/address.ts'
import { isPublicAddress } from './public-address.ts'

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
  /** Maximum size of the body of the answer; a longer answer is an error. */
  readonly answerBytesMax?: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A request that could not be sent or was not answered correctly. The message reveals nothing about the internal network. */
export class OutboundError extends Error {
  readonly reason: 'ADDRESS_REFUSED' | 'TIMEOUT' | 'TOO_LARGE' | 'UNREACHABLE'

  constructor(reason: OutboundError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

const refusedAddress = (): OutboundError => new OutboundError('ADDRESS_REFUSED', 'The address must be public.')

/**
 * All outgoing HTTP requests go through this class. The address is checked when the connection is opened, so a changed DNS answer
 * cannot bypass the check. Redirects are returned, not followed. The timeout covers the whole exchange.
 */
export class Outbound {
  readonly #allowed: readonly string[]
  // No keep-alive: each connection is checked for its own request.
  readonly #http = new HttpAgent({ keepAlive: false })
  readonly #https = new HttpsAgent({ keepAlive: false })

  /** `allowed`: private addresses and CIDR blocks that may be called. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed
  }

  async send(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const { timeoutMs = 10_000, answerBytesMax = 1_048_576 } = wanted
    const url = URL.parse(wanted.url)
    if (!url || !/^https?:$/.test(url.protocol))
      throw new OutboundError('UNREACHABLE', 'The URL must start with http:// or https://.')
    if (this.isRefusedAddress(url)) throw refusedAddress()
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await answerTo(this.#request(url, wanted, signal), wanted.body, answerBytesMax)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      if (signal.aborted) throw new OutboundError('TIMEOUT', `There was no answer within ${timeoutMs} ms.`)
      throw new OutboundError('UNREACHABLE', 'The connection failed.', { cause: error })
    }
  }

  /** Whether the configuration allows every address of the host although it is not public. A host without addresses is not allowed. */
  async isAllowedByConfiguration({ hostname }: URL): Promise<boolean> {
    if (this.#allowed.length === 0) return false
    const addresses = await addressesOf(hostname)
    return addresses.length > 0 && addresses.every((address) => isListed(address, this.#allowed))
  }

  /** Whether the host of the URL is an IP address that must not be called. Names are checked when a connection is opened. */
  isRefusedAddress({ hostname }: URL): boolean {
    const host = bareHost(hostname)
    return isIP(host) !== 0 && !this.#isAllowed(host)
  }

  #request(url: URL, { method, headers, body }: OutboundRequest, signal: AbortSignal): ClientRequest {
    const isSecure = url.protocol === 'https:'
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    return (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      headers: { ...headers, ...length, 'accept-encoding': 'identity' },
      agent: isSecure ? this.#https : this.#http,
      lookup: this.#lookup,
      signal,
    })
  }

  /** Connects to exactly the addresses that were checked, so DNS cannot change in between. One refused address refuses the name. */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      if (addresses.length === 0 || addresses.some(({ address }) => !this.#isAllowed(address))) {
        return done(refusedAddress(), [])
      }
      if (options.all) done(null, addresses)
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }

  #isAllowed(address: string): boolean {
    return isPublicAddress(address) || isListed(address, this.#allowed)
  }
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

async function addressesOf(hostname: string): Promise<string[]> {
  const host = bareHost(hostname)
  if (isIP(host)) return [host]
  try {
    return (await lookupAll(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}

function answerTo(
  request: ClientRequest,
  body: string | Buffer | undefined,
  bytesMax: number,
): Promise<OutboundAnswer> {
  return new Promise((done, failed) => {
    request.on('error', failed)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > bytesMax) {
          failed(new OutboundError('TOO_LARGE', `The answer is longer than ${bytesMax} bytes.`))
          request.destroy()
        }
      })
      response.on('error', failed)
      response.on('end', () => {
        done({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
    request.end(body)
  })
}
