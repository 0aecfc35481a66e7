import type { Limit } from '../config.ts'

export interface Verdict {
  readonly allowed: boolean
  /** Hits left in the tightest of the windows, after these. */
  readonly remaining: number
  /** Until a refused hit can be allowed again; otherwise until the tightest window ends. */
  readonly resetMs: number
}

/**
 * Fixed windows. A window opens with the first hit of its key, so that "20 within 15 minutes" is counted from the first of
 * the twenty, and everything it holds lapses together.
 *
 * `space` keeps purposes apart: a flood of keys in one space never pushes out the counts of another.
 * In process the answer is a plain value, so that the hot path allocates no promise; from Redis it is a promise.
 */
export interface Counters {
  /** Counts hits (one, unless said) against all limits of the key, or against none of them when any has no room for all of them. */
  hit(space: string, key: string, limits: readonly Limit[], nowMs: number, hits?: number): Verdict | Promise<Verdict>
  /** What `hit` would find, counting nothing: `allowed` says whether one more hit fits. */
  count(space: string, key: string, limits: readonly Limit[], nowMs: number): Verdict | Promise<Verdict>
  close(): Promise<void>
}

/** As Retry-After and quotas say it: whole, and never nothing. */
export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** One window as it was found, before the hit that is being judged. */
export interface CountedWindow {
  readonly startMs: number
  readonly hits: number
}

const unlimited: Verdict = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, resetMs: 0 }

/** `cost` is the number of hits, and 0 for a look. A window that is not open is undefined. */
export function judge(
  limits: readonly Limit[],
  windows: readonly (CountedWindow | undefined)[],
  cost: number,
  nowMs: number,
): Verdict {
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
