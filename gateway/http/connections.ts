import type { Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressKey, isListed, normaliseAddress } from '../../subgraphs/kernel/address.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

/** How long a client may take for the head of a request and for all of it. To be given to the server when it is made. */
export const patience = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} satisfies ServerOptions

export interface ConnectionLimits {
  readonly all: number
  /** A proxy that is trusted may have as many as all. */
  readonly perAddress: number
  /** How long a client that reads nothing of its answers keeps its connection. */
  readonly readWithinMs: number
}

export const connectionLimits: ConnectionLimits = { all: 4_096, perAddress: 512, readWithinMs: 20_000 }

/** Connections over a bound that may wait to be told so, for each of the bounds; any further is closed at once. */
const toldMax = 64
const tellWithinMs = 1_000

/** The connections of a server: how many there are, and from where. One over a bound is answered 503, whatever it asks. */
export class Connections {
  #all = 0
  readonly #byAddress = new Map<string, number>()
  readonly #refused = new WeakSet<object>()

  constructor(
    private readonly trusted: readonly string[],
    private readonly limits: ConnectionLimits = connectionLimits,
  ) {}

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#opened(socket))
    server.setTimeout(
      this.limits.readWithinMs,
      (socket: Socket & { readonly _httpMessage?: ServerResponse | null }) => {
        // While a request has no answer that could be read, it is the server that takes its time.
        if (!socket._httpMessage || socket.writableLength > 0) socket.destroy()
      },
    )
  }

  /** Why requests on this connection are not answered; null where they are. */
  refusalOf(socket: Socket): Refusal | null {
    if (!this.#refused.has(socket)) return null
    return new Refusal('UNAVAILABLE', 'Too many connections are open; close some and try again.', { retryAfter: 5 })
  }

  #opened(socket: Socket): void {
    const address = normaliseAddress(socket.remoteAddress ?? '') ?? 'unknown'
    const key = addressKey(address)
    const here = (this.#byAddress.get(key) ?? 0) + 1
    this.#byAddress.set(key, here)
    this.#all++
    socket.once('close', () => this.#closed(key))
    const isProxy = isListed(address, this.trusted)
    const over = Math.max(this.#all - this.limits.all, isProxy ? 0 : here - this.limits.perAddress)
    if (over > toldMax) socket.destroy()
    else if (over > 0) {
      this.#refused.add(socket)
      socket.setTimeout(tellWithinMs, () => socket.destroy())
    }
  }

  #closed(key: string): void {
    const here = this.#byAddress.get(key)! - 1
    this.#all--
    if (here === 0) this.#byAddress.delete(key)
    else this.#byAddress.set(key, here)
  }
}
