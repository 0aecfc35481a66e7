export const halfLifeDaysDefault = 30
export const halfLifeDaysOfLeads = 14

/** At most this share of the sum counts for one channel. */
export const channelShareMax = 0.4

/** The k of the score where too few entities are known to derive one. */
export const kDefault = 25
/** From so many scored entities on, k follows from their sums. */
export const kEntitiesMin = 30
export const kPercentile = 0.75
/** The score of the entity at that percentile. */
export const scoreAtPercentile = 0.75

/** PostgreSQL refuses results that are too small or too large for a double, so exponents of stored sums stay between these. */
export const exponentMin = -400
export const exponentMax = 1000

/** What an activity `days` after the epoch of the stored sums counts in them. */
export const growthOf = (days: number, halfLifeDays: number): number =>
  2 ** Math.min(exponentMax, Math.max(exponentMin, days / halfLifeDays))

/** Sums below this are of the distant past: parts of them would be too small for a double. */
const sumMin = 1e-200

/** 2^(−age/half-life). */
export const decayOf = (ageDays: number, halfLifeDays: number): number => 2 ** (-ageDays / halfLifeDays)

/** The sum of one channel, before and after its cap. */
export interface ChannelSum {
  readonly channel: string
  readonly sum: number
  readonly capped: number
}

/** F1: the decayed sums of the channels, each capped at 40 % of the sum of all, in the order of their names; empty channels are absent. */
export function cappedChannels(sums: ReadonlyMap<string, number>): ChannelSum[] {
  const present = [...sums].filter(([, sum]) => sum > sumMin).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const cap = channelShareMax * present.reduce((total, [, sum]) => total + sum, 0)
  return present.map(([channel, sum]) => ({ channel, sum, capped: Math.min(sum, cap) }))
}

/** S of F1. */
export const cappedSum = (channels: readonly ChannelSum[]): number =>
  channels.reduce((total, { capped }) => total + capped, 0)

/** 100·(1−e^(−S/k)), from 0 to 100. */
export const engagementScore = (sum: number, k: number): number => 100 * -Math.expm1(-sum / k)

/** The k with which the sum at the 75th percentile (nearest rank) scores 75; the default below 30 sums above zero. */
export function kOf(sums: readonly number[]): number {
  const scored = sums.filter((sum) => sum > 0).toSorted((a, b) => a - b)
  if (scored.length < kEntitiesMin) return kDefault
  return scored[Math.ceil(kPercentile * scored.length) - 1]! / -Math.log(1 - scoreAtPercentile)
}
