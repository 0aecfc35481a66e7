import type { Limit } from '../config/config.ts'

export interface LimitDecision {
  readonly allowed: boolean
  /** Hits that remain in the window with the fewest remaining hits, after these hits. */
  readonly remaining: number
  /** After a refusal: the wait until the hit can be allowed. Otherwise: the time until that window ends. */
  readonly resetMs: number
}

/** Hits of one key against its limits. */
export interface CounterCheck {
  readonly space: string
  readonly key: string
  readonly limits: readonly Limit[]
  /** 0 only reads: the check is allowed when one more hit fits. */
  readonly hits: number
}

/**
 * Counters in fixed windows. The window of a key opens with its first hit: "20 within 15 minutes" is counted from the first of
 * the twenty hits, and all hits of a window expire together.
 *
 * `space` separates purposes: many keys in one space never evict the counts of another space.
 * Counters in memory return a plain value, so that the hot path allocates no promise; counters in Redis return a promise.
 */
export interface Counters {
  /**
   * Applies checks in order, each like `hit` or `count`, and stops after the first check that is not allowed: later checks count
   * nothing and have no decision. All checks are one atomic step, and one round trip to Redis.
   */
  checkAll(checks: readonly CounterCheck[], nowMs: number): readonly LimitDecision[] | Promise<readonly LimitDecision[]>
  /** Counts hits (default 1) against all limits of the key, or against none when the hits do not all fit into one of the limits. */
  hit(
    space: string,
    key: string,
    limits: readonly Limit[],
    nowMs: number,
    hits?: number,
  ): LimitDecision | Promise<LimitDecision>
  /** Reads without counting: `allowed` is true when one more hit fits. */
  count(space: string, key: string, limits: readonly Limit[], nowMs: number): LimitDecision | Promise<LimitDecision>
  close(): Promise<void>
}

/** Whole seconds for Retry-After and quota headers: rounded up, at least 1. */
export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** The state of a window before the hit in question. */
export interface CountedWindow {
  readonly startMs: number
  readonly hits: number
}

const unlimited: LimitDecision = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, resetMs: 0 }

/** Decides whether `cost` hits fit; a cost of 0 only reads. A window that is not open is undefined. */
export function decide(
  limits: readonly Limit[],
  windows: readonly (CountedWindow | undefined)[],
  cost: number,
  nowMs: number,
): LimitDecision {
  if (limits.length === 0) return unlimited
  let waitMs = -1
  let remaining = Number.MAX_SAFE_INTEGER
  let resetMs = 0
  for (let index = 0; index < limits.length; index++) {
    const { max, windowMs } = limits[index]!
    const window = windows[index]
    const endsInMs = window ? window.startMs + windowMs - nowMs : windowMs
    const left = max - (window?.hits ?? 0)
    if (left < Math.max(cost, 1) && endsInMs > waitMs) waitMs = endsInMs
    if (left < remaining) {
      remaining = left
      resetMs = endsInMs
    }
  }
  if (waitMs >= 0) return { allowed: false, remaining: Math.max(remaining, 0), resetMs: waitMs }
  return { allowed: true, remaining: remaining - cost, resetMs }
}
