import { addressKey } from '../../subgraphs/kernel/network/address.ts'
import { secondsOf, type Counters } from '../../subgraphs/kernel/counters/counters.ts'
import type { Limit } from '../../subgraphs/kernel/config/config.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { chain } from './chain.ts'

/** Limits of the specification, "Failed key authentication". */
const failures: readonly Limit[] = [{ max: 20, windowMs: 15 * 60_000 }]
const space = 'key-failures'

function throttled(resetMs: number): Refusal {
  const retryAfter = secondsOf(resetMs)
  const message = `Limit of 20 failed API key authentications in 15 minutes reached for this address; retry in ${retryAfter} s.`
  return new Refusal('API_KEY_AUTH_THROTTLED', message, { retryAfter })
}

/** After twenty 401 answers to keys from one address, every key from that address gets 429 until the window ends. */
export class FailedKeyThrottle {
  readonly #counters: Counters

  constructor(counters: Counters) {
    this.#counters = counters
  }

  check(address: string, nowMs: number): Refusal | null | Promise<Refusal | null> {
    const verdict = this.#counters.count(space, addressKey(address), failures, nowMs)
    return chain(verdict, ({ allowed, resetMs }) => (allowed ? null : throttled(resetMs)))
  }

  /** The refusal for a key that failed. It counts the failure first, so that of concurrent attempts only twenty get 401. */
  failed(address: string, nowMs: number, refusal: Refusal): Refusal | Promise<Refusal> {
    const verdict = this.#counters.hit(space, addressKey(address), failures, nowMs)
    return chain(verdict, ({ allowed, resetMs }) => (allowed ? refusal : throttled(resetMs)))
  }
}
