import type { ServerResponse } from 'node:http'

/** Smaller responses are not counted, because the limit of connections also limits their total. */
export const countedBytesMin = 65_536

const allMax = 134_217_728
const perOwnerMax = 33_554_432

/** Bytes of large responses that clients have not read yet. They are limited in total and for each owner (organization or address). */
export class UnsentBytes {
  #all = 0
  readonly #byOwner = new Map<string, number>()

  constructor(
    private readonly max = allMax,
    private readonly maxPerOwner = perOwnerMax,
  ) {}

  /** Counts the bytes of a response until the returned function is called; null when a limit would be exceeded. */
  take(owner: string, bytes: number): (() => void) | null {
    if (!this.isWithinLimits(owner, bytes)) return null
    this.#count(owner, bytes)
    return () => this.#count(owner, -bytes)
  }

  isWithinLimits(owner: string, bytes: number): boolean {
    const bytesOfOwner = this.#byOwner.get(owner) ?? 0
    return this.#all + bytes <= this.max && bytesOfOwner + bytes <= this.maxPerOwner
  }

  /** Whether the owner itself has too many, or all together. */
  isOwnLimit(owner: string, bytes: number): boolean {
    return (this.#byOwner.get(owner) ?? 0) + bytes > this.maxPerOwner
  }

  get bytes(): number {
    return this.#all
  }

  #count(owner: string, bytes: number): void {
    const bytesOfOwner = (this.#byOwner.get(owner) ?? 0) + bytes
    this.#all += bytes
    if (bytesOfOwner === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, bytesOfOwner)
  }
}

/** The unread bytes of all HTTP responses and websockets of this process. */
export const unsent = new UnsentBytes()

// A property is four times as fast as a WeakMap, and every request sets it.
const ownerProperty = Symbol('owner')
type OwnedResponse = ServerResponse & { [ownerProperty]?: string }

/** Sets the organization or address that a response counts for. Call it as soon as the caller is known. */
export const setResponseOwner = (res: OwnedResponse, owner: string): void => void (res[ownerProperty] = owner)

export const responseOwnerOf = (res: OwnedResponse): string => res[ownerProperty] ?? res.req.socket.remoteAddress ?? ''
