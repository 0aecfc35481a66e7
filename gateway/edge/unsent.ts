import type { ServerResponse } from 'node:http'

/** Smaller responses are not counted, because the number of connections bounds their total. */
export const countedFrom = 65_536

const allMax = 134_217_728
const shareMax = 33_554_432

/** Bytes of large responses that clients have not read yet. They are limited in total and for each sharer (organization or address). */
export class UnsentBytes {
  #all = 0
  readonly #shares = new Map<string, number>()

  constructor(
    private readonly max = allMax,
    private readonly maxOfShare = shareMax,
  ) {}

  /** Counts the bytes of a response until the returned function is called; null when a limit would be exceeded. */
  take(sharer: string, bytes: number): (() => void) | null {
    if (!this.hasRoom(sharer, bytes)) return null
    this.#count(sharer, bytes)
    return () => this.#count(sharer, -bytes)
  }

  hasRoom(sharer: string, bytes: number): boolean {
    const share = this.#shares.get(sharer) ?? 0
    return this.#all + bytes <= this.max && share + bytes <= this.maxOfShare
  }

  get bytes(): number {
    return this.#all
  }

  #count(sharer: string, bytes: number): void {
    const share = (this.#shares.get(sharer) ?? 0) + bytes
    this.#all += bytes
    if (share === 0) this.#shares.delete(sharer)
    else this.#shares.set(sharer, share)
  }
}

/** The unread bytes of all HTTP responses and websockets of this process. */
export const unsent = new UnsentBytes()

// A property is four times as fast as a WeakMap, and every request sets it.
const sharer = Symbol('sharer')
type Shared = ServerResponse & { [sharer]?: string }

/** Sets the sharer that a response counts for. Call it as soon as the caller is known. */
export const setResponseOwner = (res: Shared, name: string): void => void (res[sharer] = name)

export const responseOwnerOf = (res: Shared): string => res[sharer] ?? res.req.socket.remoteAddress ?? ''
