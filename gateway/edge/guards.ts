import type { Limit } from '../../subgraphs/kernel/config/config.ts'
import { secondsOf } from '../../subgraphs/kernel/counters/counters.ts'
import type { CounterCheck, Counters, LimitDecision } from '../../subgraphs/kernel/counters/counters.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { addressKey } from '../../subgraphs/kernel/network/address.ts'
import { chain } from './chain.ts'
import { limitsText } from './quota.ts'

/** A check that a request must pass, and its refusal. */
export interface Guard extends CounterCheck {
  refusal(decision: LimitDecision): Refusal
}

/** The rate limits of an address, or no guard when there are none. */
export function addressGuards(space: string, ip: string, limits: readonly Limit[], hits = 1): Guard[] {
  if (limits.length === 0) return []
  const refusal = ({ resetMs }: LimitDecision) => {
    const retryAfter = secondsOf(resetMs)
    const message = `Limit of ${limitsText(limits)} reached for this address; retry in ${retryAfter} s.`
    return new Refusal('IP_RATE_LIMITED', message, { retryAfter })
  }
  return [{ space, key: addressKey(ip), limits, hits, refusal }]
}

/** Limits of the specification, "Failed key authentication". */
const keyFailures: readonly Limit[] = [{ max: 20, windowMs: 15 * 60_000 }]

function keyFailuresRefusal({ resetMs }: LimitDecision): Refusal {
  const retryAfter = secondsOf(resetMs)
  const message = `Limit of 20 failed API key authentications in 15 minutes reached for this address; retry in ${retryAfter} s.`
  return new Refusal('API_KEY_AUTH_THROTTLED', message, { retryAfter })
}

/**
 * After twenty 401 answers to keys from one address, every key from that address gets 429 until the window ends. With one hit the
 * guard counts a failure; it counts before the answer, so that of concurrent attempts only twenty get 401.
 */
export const keyFailureGuard = (ip: string, hits: 0 | 1): Guard => ({
  space: 'key-failures',
  key: addressKey(ip),
  limits: keyFailures,
  hits,
  refusal: keyFailuresRefusal,
})

/**
 * Applies the guards and then the check of the quota in one step. Throws the refusal of the first guard that does not allow the
 * request. Otherwise it returns the decision of the quota, allowed or not; null without a quota.
 */
export function applyGuards(
  counters: Counters,
  guards: readonly Guard[],
  quota: CounterCheck | null,
  nowMs: number,
): LimitDecision | null | Promise<LimitDecision | null> {
  const checks = quota ? [...guards, quota] : guards
  if (checks.length === 0) return null
  return chain(counters.checkAll(checks, nowMs), (decisions) => {
    const last = decisions.at(-1)!
    const guard = guards[decisions.length - 1]
    if (guard && !last.allowed) throw guard.refusal(last)
    return quota && last
  })
}
