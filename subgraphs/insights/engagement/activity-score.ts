import { dayMs } from '../../kernel/time/wall-calendar.ts'
import { roundTogether } from '../largest-remainder.ts'
import {
  cappedChannels,
  cappedSum,
  decayOf,
  engagementScore,
  halfLifeDaysDefault,
  halfLifeDaysOfLeads,
  type ChannelSum,
} from './decay.ts'
import type { DatedActivity, EngagementEntity } from './entities.ts'
import { pointsOf } from './weights.ts'

/** The activities of one entity until a time, and their sums. */
export interface ActivitySums {
  readonly moments: readonly { readonly atMs: number; readonly points: number }[]
  readonly channels: readonly ChannelSum[]
  readonly counts: ReadonlyMap<string, number>
  /** S of F1. */
  readonly sum: number
  /** Activities after the time. */
  readonly future: number
}

/** Interest in a purchase fades sooner than a relationship. */
export const halfLifeDaysOf = (type: string): number => (type === 'LEAD' ? halfLifeDaysOfLeads : halfLifeDaysDefault)

interface Settings {
  readonly nowMs: number
  readonly weights: Readonly<Record<string, number>>
  /** Null: that of the type of the entity. */
  readonly halfLifeDays: number | null
}

export function activitySums(
  { type, activities }: EngagementEntity,
  { nowMs, weights, halfLifeDays }: Settings,
): ActivitySums {
  const halfLife = halfLifeDays ?? halfLifeDaysOf(type)
  const moments: { atMs: number; points: number }[] = []
  const sums = new Map<string, number>()
  const counts = new Map<string, number>()
  let future = 0
  for (const activity of activities ?? []) {
    const atMs = timeOf(activity)
    if (atMs > nowMs) {
      future += 1
      continue
    }
    const points = pointsOf(activity, weights)
    if (points === 0) continue
    moments.push({ atMs, points })
    const decayed = points * decayOf((nowMs - atMs) / dayMs, halfLife)
    sums.set(activity.type, (sums.get(activity.type) ?? 0) + decayed)
    counts.set(activity.type, (counts.get(activity.type) ?? 0) + 1)
  }
  const channels = cappedChannels(sums)
  return { moments, channels, counts, sum: cappedSum(channels), future }
}

const timeOf = ({ timestamp }: DatedActivity): number => Date.parse(timestamp)

/** What one channel contributes to the activity score. */
export interface ActivitySignal {
  readonly channel: string
  readonly activities: number
  readonly contribution: number
}

/** The activity score, rounded, and what each channel contributes to it; the contributions add up to it. */
export function activityScore(
  { channels, counts, sum }: Pick<ActivitySums, 'channels' | 'counts' | 'sum'>,
  k: number,
): { readonly exact: number; readonly score: number; readonly signals: readonly ActivitySignal[] } {
  const exact = engagementScore(sum, k)
  const rounded = roundTogether(channels.map(({ capped }) => (exact * capped) / sum))
  const signals = channels.map(({ channel }, index) => ({
    channel,
    activities: counts.get(channel) ?? 0,
    contribution: rounded.parts[index]!,
  }))
  return { exact, score: rounded.sum, signals }
}
