import type { ServerResponse } from 'node:http'

/** Smaller answers are not counted: what connections may have of them is bounded by the number of connections. */
export const countedFrom = 65_536

const allMax = 134_217_728
const shareMax = 33_554_432

/** Bytes of large answers that wait for their clients to read them: bounded in all, and for each who asks. */
export class UnsentBytes {
  #all = 0
  readonly #shares = new Map<string, number>()

  constructor(
    private readonly max = allMax,
    private readonly maxOfShare = shareMax,
  ) {}

  /** Counts an answer until the function that it gives is called; null where there is no room for it. */
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

/** Those of this process, whatever they are sent through. */
export const unsent = new UnsentBytes()

// A property is four times as fast as a WeakMap, and every request sets it.
const sharer = Symbol('sharer')
type Shared = ServerResponse & { [sharer]?: string }

/** Whose share an answer counts for: to be told as soon as it is known who asks. */
export const noteSharer = (res: Shared, name: string): void => void (res[sharer] = name)

export const sharerOf = (res: Shared): string => res[sharer] ?? res.req.socket.remoteAddress ?? ''
