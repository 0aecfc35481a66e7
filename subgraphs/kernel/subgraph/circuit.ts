export interface CircuitOptions {
  /** Consecutive failures that open the circuit. */
  readonly failuresMax?: number
  /** How long an open circuit refuses calls before it allows one trial call. */
  readonly retryAfterMs?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** A circuit breaker: after consecutive failures it refuses calls at once instead of letting them wait, and allows one trial call at a time. */
export class Circuit {
  #failures = 0
  #retryAt = 0
  readonly #failuresMax: number
  readonly #retryAfterMs: number
  readonly #now: () => number

  constructor({ failuresMax = 5, retryAfterMs = 1000, now = () => performance.now() }: CircuitOptions = {}) {
    this.#failuresMax = failuresMax
    this.#retryAfterMs = retryAfterMs
    this.#now = now
  }

  get isOpen(): boolean {
    return this.#failures >= this.#failuresMax
  }

  /** Whether the call may be made. After true, the caller must call `succeeded`, `failed` or `abandoned`. */
  enter(): boolean {
    if (!this.isOpen) return true
    if (this.#now() < this.#retryAt) return false
    this.#retryAt = Infinity
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** The call was cancelled, so its outcome is unknown: the next call may be the trial. */
  abandoned(): void {
    if (this.isOpen) this.#retryAt = this.#now()
  }

  failed(): void {
    this.#failures++
    this.#retryAt = this.#now() + this.#retryAfterMs
  }
}
