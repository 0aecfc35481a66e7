import { lookup as resolve } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isListed } from '../address.ts'
import { isPublicAddress } from './public-address.ts'

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
  /** A longer answer is refused. */
  readonly answerBytesMax?: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A request that could not be made or was not answered properly. Says nothing of what an inner network looks like. */
export class OutboundError extends Error {
  readonly reason: 'ADDRESS_REFUSED' | 'TIMEOUT' | 'TOO_LARGE' | 'UNREACHABLE'

  constructor(reason: OutboundError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

const refusedAddress = (): OutboundError => new OutboundError('ADDRESS_REFUSED', 'The address is not a public one.')

/**
 * The only way out over HTTP. An address is vetted at the moment of connecting, whatever its name said before; redirects are
 * answers like any other; the deadline covers the whole exchange.
 */
export class Outbound {
  readonly #allowed: readonly string[]
  // Connections are not kept: each is vetted for its own request.
  readonly #http = new HttpAgent({ keepAlive: false })
  readonly #https = new HttpsAgent({ keepAlive: false })

  /** `allowed`: addresses and CIDR blocks that may be called although they are not public. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed
  }

  async send(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const { timeoutMs = 10_000, answerBytesMax = 1_048_576 } = wanted
    const url = URL.parse(wanted.url)
    if (!url || !/^https?:$/.test(url.protocol)) throw new OutboundError('UNREACHABLE', 'This is no HTTP address.')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !this.#isAllowed(host)) throw refusedAddress()
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await answerTo(this.#request(url, wanted, signal), wanted.body, answerBytesMax)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      if (signal.aborted) throw new OutboundError('TIMEOUT', `There was no answer within ${timeoutMs} ms.`)
      throw new OutboundError('UNREACHABLE', 'The connection failed.', { cause: error })
    }
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

  /** What a name resolves to is what is connected to, so it cannot change in between. One bad address spoils the name. */
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
