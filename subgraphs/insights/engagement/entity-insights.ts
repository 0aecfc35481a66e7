import type { ChannelSum } from './decay.ts'
import type { Momentum } from './momentum.ts'

/** A remark on one entity that its numbers support. */
export interface Insight {
  readonly key: InsightKey
  readonly text: string
}

export type InsightKey = 'NO_ENGAGEMENT' | 'SILENT' | 'RISING' | 'FALLING' | 'CENTRAL' | 'ONE_CHANNEL'

interface Numbers {
  readonly momentum: Momentum
  readonly channels: readonly ChannelSum[]
  readonly networkScore: number
  readonly windowDays: number
}

const centralFrom = 90

/** At most one decimal. */
const shown = (value: number): string => String(Math.round(value * 10) / 10)

export function insightsOf({ momentum, channels, networkScore, windowDays }: Numbers): Insight[] {
  const { windows, significant, silenceDays, usualGapDays, trend } = momentum
  const [last, previous] = windows
  const insights: Insight[] = []
  if (silenceDays === null) insights.push({ key: 'NO_ENGAGEMENT', text: 'No activity of the customer is known.' })
  else if (usualGapDays !== null && silenceDays > 3 * usualGapDays) {
    const text = `No activity for ${shown(silenceDays)} days; usually there is one every ${shown(usualGapDays)} days.`
    insights.push({ key: 'SILENT', text })
  }
  const change = `from ${shown(previous)} to ${shown(last)} points in ${windowDays} days`
  if (significant && last > previous) insights.push({ key: 'RISING', text: `Engagement rose ${change}.` })
  else if (last < previous && (significant || trend === 'CHURNING'))
    insights.push({ key: 'FALLING', text: `Engagement fell ${change}.` })
  if (networkScore >= centralFrom) {
    const text = `Better connected than ${shown(networkScore)} % of the entities.`
    insights.push({ key: 'CENTRAL', text })
  }
  if (channels.length === 1 && silenceDays !== null) {
    const text = `All engagement is of the type ${channels[0]!.channel}, so only 40 % of it counts.`
    insights.push({ key: 'ONE_CHANNEL', text })
  }
  return insights
}
