import { addressKey } from '../../subgraphs/kernel/address.ts'
import { secondsOf, type Counters } from '../../subgraphs/kernel/counters/counters.ts'
import type { Limit } from '../../subgraphs/kernel/config.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { chain } from './chain.ts'

/** Limits of the specification, "Failed key authentication". */
const failures: readonly Limit[] = [{ max: 20, windowMs: 15 * 60_000 }]
const space = 'key-failures'

const throttled = (resetMs: number): Refusal =>
  new Refusal('API_KEY_AUTH_THROTTLED', 'Too many failed API key authentications from this address.', {
    retryAfter: secondsOf(resetMs),
  })

/** Twenty answers of 401 to keys from one address, then 429 to every key from there until the window ends. */
export class FailedKeyThrottle {
  readonly #counters: Counters

  constructor(counters: Counters) {
    this.#counters = counters
  }

  check(address: string, nowMs: number): Refusal | null | Promise<Refusal | null> {
    const verdict = this.#counters.count(space, addressKey(address), failures, nowMs)
    return chain(verdict, ({ allowed, resetMs }) => (allowed ? null : throttled(resetMs)))
  }

  /** What to answer to a key that failed. The count decides, so that of attempts that arrive together only twenty see 401. */
  failed(address: string, nowMs: number, refusal: Refusal): Refusal | Promise<Refusal> {
    const verdict = this.#counters.hit(space, addressKey(address), failures, nowMs)
    return chain(verdict, ({ allowed, resetMs }) => (allowed ? refusal : throttled(resetMs)))
  }
}
