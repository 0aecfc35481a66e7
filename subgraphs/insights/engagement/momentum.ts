import { dayMs } from '../../kernel/time/wall-calendar.ts'

export type Trend = 'ACCELERATING' | 'GROWING' | 'STABLE' | 'DECLINING' | 'CHURNING'

/** When an activity happened, and its points before they decay. */
export interface Moment {
  readonly atMs: number
  readonly points: number
}

export interface Momentum {
  /** Points of the last window, the one before, and the one before that. */
  readonly windows: readonly [number, number, number]
  /** −1 to 3. */
  readonly velocity: number
  readonly acceleration: number
  readonly trend: Trend
  /** Whether the difference between the last two windows is larger than chance explains (95 %). */
  readonly significant: boolean
  /** Days since the last activity with points; null without one. */
  readonly silenceDays: number | null
  /** Median days between activities; null if there are fewer than three at different times. */
  readonly usualGapDays: number | null
}

export const windowDaysDefault = 14
/** a0: fewer points count as this many where they divide. */
export const pointsMin = 2
export const velocityMin = -1
export const velocityMax = 3
const silenceFactor = 3
const momentsMin = 3
/** Activities of one conversation are minutes apart, so a usual gap is at least a day. */
const usualGapDaysMin = 1

/** F2, of the activities until `nowMs`; later ones are ignored. */
export function momentumOf(moments: readonly Moment[], nowMs: number, windowDays = windowDaysDefault): Momentum {
  const windows: [number, number, number] = [0, 0, 0]
  const times: number[] = []
  for (const { atMs, points } of moments) {
    if (atMs > nowMs || points <= 0) continue
    times.push(atMs)
    const window = windowOf((nowMs - atMs) / dayMs, windowDays)
    if (window !== null) windows[window]! += points
  }
  return momentumOfWindows(windows, silenceOf(times, nowMs))
}

/** Its end belongs to a window. */
function windowOf(ageDays: number, windowDays: number): 0 | 1 | 2 | null {
  if (ageDays <= windowDays) return 0
  if (ageDays <= 2 * windowDays) return 1
  return ageDays <= 3 * windowDays ? 2 : null
}

type Silence = Pick<Momentum, 'silenceDays' | 'usualGapDays'>

export function momentumOfWindows(
  windows: readonly [number, number, number],
  { silenceDays, usualGapDays }: Silence,
): Momentum {
  const [last, previous, earlier] = windows
  const change = (last - previous) / Math.max(previous, pointsMin)
  const velocity = Math.min(velocityMax, Math.max(velocityMin, change))
  const acceleration = velocity - (previous - earlier) / Math.max(earlier, pointsMin)
  const isSilent = silenceDays !== null && usualGapDays !== null && silenceDays > silenceFactor * usualGapDays
  return {
    windows,
    velocity,
    acceleration,
    trend: trendOf(velocity, acceleration, isSilent),
    significant: Math.abs(last - previous) > 1.96 * Math.sqrt(last + previous),
    silenceDays,
    usualGapDays,
  }
}

function trendOf(velocity: number, acceleration: number, isSilent: boolean): Trend {
  if (isSilent || (velocity < -0.3 && acceleration < 0)) return 'CHURNING'
  if (velocity < -0.1) return 'DECLINING'
  if (velocity > 0.2 && acceleration > 0) return 'ACCELERATING'
  return velocity > 0.1 ? 'GROWING' : 'STABLE'
}

/** How long nothing has happened, and how long that usually takes. */
function silenceOf(times: readonly number[], nowMs: number): Silence {
  const distinct = [...new Set(times)].toSorted((a, b) => a - b)
  const last = distinct.at(-1)
  const gaps = distinct.slice(1).map((time, index) => (time - distinct[index]!) / dayMs)
  return {
    silenceDays: last === undefined ? null : (nowMs - last) / dayMs,
    usualGapDays: distinct.length < momentsMin ? null : Math.max(usualGapDaysMin, medianOf(gaps)),
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** 0 to 100; 50 without a change. */
export const momentumScore = (velocity: number): number =>
  velocity < 0 ? 50 * (1 + velocity) : 50 + (50 * velocity) / velocityMax
