import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Agent, Dispatcher } from 'undici'
import { isListed } from '../network/address.ts'
import { Exchange } from './exchange.ts'
import { OutboundError, refusedAddress } from './outbound-error.ts'
import type { OutboundAnswer, OutboundRequest, StreamedAnswer, StreamRequest } from './outbound-request.ts'
import { isPublicAddress } from './public-address.ts'
import { vettedLookup, type ResolveAll } from './vetted-lookup.ts'
import { StreamedExchange } from './streamed-exchange.ts'

export { OutboundError }

export type { OutboundAnswer, OutboundRequest, StreamedAnswer, StreamRequest }

const destinationCharactersMax = 262_144

/** Where a URL leads. `origin`: null if it is no URL of http or https. */
interface Destination {
  readonly origin: string | null
  readonly path: string
  readonly isRefused: boolean
}

/**
 * All outgoing HTTP requests go through this class. Every address is checked when a connection is opened, so a changed DNS answer
 * cannot bypass the check, and only connections that were checked are used again. Redirects are returned, not followed. The timeout
 * covers the whole exchange, from the resolution of the name to the last byte of the answer; a streamed one has several.
 */
export class Outbound {
  readonly #allowed: readonly string[]
  /** Loaded by the first request, because many processes send none. */
  #agent: Promise<Agent> | null = null
  /** Parsing a URL takes longer than sending to it. Names are resolved and checked for each connection. */
  readonly #destinations = new LRUCache<string, Destination>({
    maxSize: destinationCharactersMax,
    sizeCalculation: (_, url) => 100 + url.length,
    memoMethod: (url) => this.#destinationOf(url),
  })

  /** `allowed`: private addresses and CIDR blocks that may be called. */
  constructor(
    allowed: readonly string[],
    private readonly resolve: ResolveAll = (hostname, options, done) => lookup(hostname, options, done),
  ) {
    this.#allowed = allowed
  }

  async send(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const { timeoutMs = 10_000, answerBytesMax = 1_048_576, answerBytesKept, keepAlive = false } = wanted
    const exchange = new Exchange({ timeoutMs, answerBytesMax, answerBytesKept })
    // The time may be over while the agent is still being loaded.
    exchange.answer.catch(() => undefined)
    await this.#dispatch(wanted, exchange, keepAlive)
    return exchange.answer
  }

  /** Like `send`, but the body of the answer is read while it arrives. */
  async stream(wanted: StreamRequest): Promise<StreamedAnswer> {
    const { firstByteMs, silenceMs, totalMs, answerBytesMax, signal } = wanted
    const exchange = new StreamedExchange({ firstByteMs, silenceMs, totalMs, answerBytesMax }, signal)
    exchange.answer.catch(() => undefined)
    await this.#dispatch(wanted, exchange, true)
    return exchange.answer
  }

  async #dispatch(
    wanted: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>,
    exchange: Exchange | StreamedExchange,
    keepAlive: boolean,
  ): Promise<void> {
    const { origin, path, isRefused } = this.#destinations.memo(wanted.url)
    if (origin === null)
      return exchange.fail(new OutboundError('UNREACHABLE', 'The URL must start with http:// or https://.'))
    if (isRefused) return exchange.fail(refusedAddress())
    try {
      const agent = await (this.#agent ??= this.#openAgent())
      const options: Dispatcher.DispatchOptions = {
        origin,
        path,
        method: wanted.method,
        headers: { ...wanted.headers, 'accept-encoding': 'identity' },
        body: wanted.body ?? null,
        reset: !keepAlive,
      }
      agent.dispatch(options, exchange)
    } catch (error) {
      exchange.fail(error as Error)
    }
  }

  /** Whether the configuration allows every address of the host although it is not public. A host without addresses is not allowed. */
  async isAllowedByConfiguration({ hostname }: URL): Promise<boolean> {
    if (this.#allowed.length === 0) return false
    const addresses = await this.#addressesOf(hostname)
    return addresses.length > 0 && addresses.every((address) => isListed(address, this.#allowed))
  }

  /** Whether the host of the URL is an IP address that must not be called. Names are checked when a connection is opened. */
  isRefusedAddress({ hostname }: URL): boolean {
    const host = bareHost(hostname)
    return isIP(host) !== 0 && !this.#isAllowed(host)
  }

  /**
   * An address of the host to connect to for a protocol other than HTTP. Every address of the host must be allowed. The caller must connect
   * to this address and not to the name, whose DNS answer may change.
   */
  async vettedAddress(hostname: string): Promise<string> {
    const addresses = await this.#addressesOf(hostname)
    const [address] = addresses
    if (!address) throw new OutboundError('UNREACHABLE', 'The name of the host does not exist.')
    if (addresses.some((each) => !this.#isAllowed(each))) throw refusedAddress()
    return address
  }

  /** Finds the addresses of a name for clients with connections of their own: they connect to exactly those that are allowed. */
  lookup(): LookupFunction {
    return vettedLookup((address) => this.#isAllowed(address), this.resolve)
  }

  /** Closes the open connections. */
  async close(): Promise<void> {
    const agent = await this.#agent
    await agent?.destroy()
  }

  async #openAgent(): Promise<Agent> {
    const { vettedAgent } = await import('./vetted-agent.ts')
    return vettedAgent((address) => this.#isAllowed(address), this.resolve)
  }

  #destinationOf(text: string): Destination {
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol)) return { origin: null, path: '', isRefused: true }
    return { origin: url.origin, path: `${url.pathname}${url.search}`, isRefused: this.isRefusedAddress(url) }
  }

  async #addressesOf(hostname: string): Promise<string[]> {
    const host = bareHost(hostname)
    if (isIP(host)) return [host]
    return new Promise((resolved) =>
      this.resolve(host, { all: true }, (error, addresses) =>
        resolved(error ? [] : addresses.map(({ address }) => address)),
      ),
    )
  }

  #isAllowed(address: string): boolean {
    return isPublicAddress(address) || isListed(address, this.#allowed)
  }
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')
