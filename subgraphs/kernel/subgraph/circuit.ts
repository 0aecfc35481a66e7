export interface CircuitOptions {
  /** Failures in a row after which nobody else waits. */
  readonly failuresMax?: number
  /** How long calls are refused at once before one is tried again. */
  readonly restMs?: number
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number
}

/** Keeps calls from waiting for somebody who does not answer: after some failures they are refused at once, and one at a time is let through to look. */
export class Circuit {
  #failures = 0
  #restsUntil = 0
  readonly #failuresMax: number
  readonly #restMs: number
  readonly #now: () => number

  constructor({ failuresMax = 5, restMs = 1000, now = () => performance.now() }: CircuitOptions = {}) {
    this.#failuresMax = failuresMax
    this.#restMs = restMs
    this.#now = now
  }

  get isOpen(): boolean {
    return this.#failures >= this.#failuresMax
  }

  /** Whether to call. Whoever gets true tells `succeeded`, `failed` or `abandoned` afterwards. */
  enter(): boolean {
    if (!this.isOpen) return true
    if (this.#now() < this.#restsUntil) return false
    this.#restsUntil = Infinity
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** The call was given up, which says nothing: the next one may look. */
  abandoned(): void {
    if (this.isOpen) this.#restsUntil = this.#now()
  }

  failed(): void {
    this.#failures++
    this.#restsUntil = this.#now() + this.#restMs
  }
}
