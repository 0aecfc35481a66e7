import { rounded, roundTogether } from '../largest-remainder.ts'

/** The parts of the health of a deal (F5), in the order in which they are added up. */
export const factorKeys = [
  'RECENCY',
  'MOMENTUM',
  'STAGE_PACE',
  'MULTI_THREADING',
  'CLOSE_DATE',
  'NEXT_STEP',
  'QUALIFICATION',
  'REPLY_RATIO',
] as const
export type FactorKey = (typeof factorKeys)[number]

interface Factor {
  readonly label: string
  /** Share of the score, if no factor is hidden. */
  readonly weight: number
  /** The fields from which it is computed: it drops out for a caller whose profile hides one of them. */
  readonly needs: Readonly<Partial<Record<'opportunity' | 'activity' | 'contact', readonly string[]>>>
}

const engagement = ['opportunityId', 'direction', 'outcome'] as const

export const factors: Readonly<Record<FactorKey, Factor>> = {
  RECENCY: { label: 'Last contact in both directions', weight: 0.2, needs: { activity: engagement } },
  MOMENTUM: { label: 'Change of activity', weight: 0.1, needs: { activity: [...engagement, 'sentiment'] } },
  STAGE_PACE: {
    label: 'Time in the stage',
    weight: 0.2,
    needs: { opportunity: ['stage', 'stageEnteredAt', 'stageHistory'] },
  },
  MULTI_THREADING: {
    label: 'Active contacts',
    weight: 0.15,
    needs: {
      activity: [...engagement, 'sentiment', 'contactId', 'participants'],
      opportunity: ['contactRoles'],
      contact: ['buyingRole'],
    },
  },
  CLOSE_DATE: {
    label: 'Plausible close date',
    weight: 0.15,
    needs: { opportunity: ['closeDate', 'closeDatePushCount', 'stageHistory'] },
  },
  NEXT_STEP: { label: 'Next step', weight: 0.1, needs: { opportunity: ['nextStep', 'nextActivityDate'] } },
  QUALIFICATION: { label: 'Qualification data', weight: 0.05, needs: { opportunity: ['customFields'] } },
  REPLY_RATIO: { label: 'Replies to messages', weight: 0.05, needs: { activity: engagement } },
}

/** The column of a factor in the stored scores. */
export const columnOf = (key: FactorKey): string => key.toLowerCase()

export type FactorValues = Readonly<Record<FactorKey, number>>

export const bandNames = ['HEALTHY', 'WATCH', 'AT_RISK', 'CRITICAL'] as const
export type Band = (typeof bandNames)[number]

/** The least score of each band. */
export const bandFrom: Readonly<Record<Band, number>> = { HEALTHY: 75, WATCH: 55, AT_RISK: 35, CRITICAL: 0 }

export const bandOf = (score: number): Band => bandNames.find((band) => score >= bandFrom[band])!

export interface WeightedFactor {
  readonly key: FactorKey
  readonly weight: number
}

/** The factors that are shown, with weights that add up to 1, so that no value of a hidden one can be computed from the score. */
export function weightedFactors(isShown: (key: FactorKey) => boolean): readonly WeightedFactor[] {
  const shown = factorKeys.filter(isShown)
  const total = shown.reduce((sum, key) => sum + factors[key].weight, 0)
  return shown.map((key) => ({ key, weight: factors[key].weight / total }))
}

export interface ScoredFactor {
  readonly key: FactorKey
  readonly label: string
  readonly weight: number
  /** 0 to 1. */
  readonly value: number
  readonly contribution: number
  readonly gainIfFixed: number
}

export interface Health {
  readonly score: number
  readonly band: Band
  readonly factors: readonly ScoredFactor[]
}

/** The score of F5 from the values of the shown factors; its contributions add up to it. */
export function healthOf(weighted: readonly WeightedFactor[], values: FactorValues): Health {
  const { sum, parts } = roundTogether(weighted.map(({ key, weight }) => 100 * weight * values[key]))
  return {
    score: sum,
    band: bandOf(sum),
    factors: weighted.map(({ key, weight }, index) => ({
      key,
      label: factors[key].label,
      weight: rounded(weight, 4),
      value: rounded(values[key], 4),
      contribution: parts[index]!,
      gainIfFixed: rounded(100 * weight * (1 - values[key])),
    })),
  }
}

/** The score of stored values `s` as SQL, rounded as `healthOf` does. */
export const scoreSql = (weighted: readonly WeightedFactor[], alias: string): string =>
  `(floor((${weighted.map(({ key, weight }) => `${100 * weight} * ${alias}.${columnOf(key)}`).join(' + ')}) * 100 + 0.5) / 100)`
