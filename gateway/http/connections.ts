import type { Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressKey, isListed, normaliseAddress } from '../../subgraphs/kernel/network/address.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

/** Timeouts of Node for the headers of a request and for the whole request. Pass them to `createServer`. */
export const requestTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} satisfies ServerOptions

export interface ConnectionLimits {
  readonly all: number
  /** Does not apply to trusted proxies, which may have all connections. */
  readonly perAddress: number
  /** The connection of a client that reads nothing of its answer for this long is closed. */
  readonly readWithinMs: number
}

export const connectionLimits: ConnectionLimits = { all: 4_096, perAddress: 512, readWithinMs: 20_000 }

/** This many connections over a limit get a refusal, for each limit; further ones are closed immediately. */
const refusedMax = 64
const refuseWithinMs = 1_000

const tooManyOfAddress = (): Refusal =>
  new Refusal('CONNECTION_LIMIT_REACHED', 'Too many connections are open; close some, then retry in 5 s.', {
    retryAfter: 5,
  })

const tooManyOfAll = (): Refusal =>
  new Refusal('UNAVAILABLE', 'Too many connections of all clients are open; retry in 5 s.', { retryAfter: 5 })

/** Counts the connections of a server, in total and by address. Any request on a connection over the limit of its address gets 429, and over the total one 503. */
export class Connections {
  #all = 0
  readonly #byAddress = new Map<string, number>()
  readonly #refused = new WeakMap<object, Refusal>()

  constructor(
    private readonly trusted: readonly string[],
    private readonly limits: ConnectionLimits = connectionLimits,
  ) {}

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#opened(socket))
    server.setTimeout(
      this.limits.readWithinMs,
      (socket: Socket & { readonly _httpMessage?: ServerResponse | null }) => {
        // While there is no answer to read, the server is slow and not the client.
        if (!socket._httpMessage || socket.writableLength > 0) socket.destroy()
      },
    )
  }

  /** The refusal of every request on this connection; null if the connection is within the limits. */
  refusalOf(socket: Socket): Refusal | null {
    return this.#refused.get(socket) ?? null
  }

  #opened(socket: Socket): void {
    const address = normaliseAddress(socket.remoteAddress ?? '') ?? 'unknown'
    const key = addressKey(address)
    const ofAddress = (this.#byAddress.get(key) ?? 0) + 1
    this.#byAddress.set(key, ofAddress)
    this.#all++
    socket.once('close', () => this.#closed(key))
    const isProxy = isListed(address, this.trusted)
    const overOwn = isProxy ? 0 : ofAddress - this.limits.perAddress
    const over = Math.max(this.#all - this.limits.all, overOwn)
    if (over > refusedMax) socket.destroy()
    else if (over > 0) {
      this.#refused.set(socket, overOwn > 0 ? tooManyOfAddress() : tooManyOfAll())
      socket.setTimeout(refuseWithinMs, () => socket.destroy())
    }
  }

  #closed(key: string): void {
    const ofAddress = this.#byAddress.get(key)! - 1
    this.#all--
    if (ofAddress === 0) this.#byAddress.delete(key)
    else this.#byAddress.set(key, ofAddress)
  }
}
