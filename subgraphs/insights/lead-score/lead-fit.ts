import { leadFactNames, type LeadFact } from '../../crm/public.ts'
import { rounded, roundTogether } from '../largest-remainder.ts'

export type LeadFactor = LeadFact | 'engagement'

/** Half of the score is fit, half is engagement (F11). */
export const factorWeights: Readonly<Record<LeadFactor, number>> = {
  industry: 0.125,
  numberOfEmployees: 0.1,
  title: 0.1,
  country: 0.075,
  leadSource: 0.1,
  engagement: 0.5,
}

/** Closed leads of average outcome that are added to each group, so that few leads say little. */
export const priorLeads = 20

/** Closed leads: those that were converted, and those that were found unqualified. */
export interface LeadRate {
  readonly closed: number
  readonly converted: number
}

/** How often leads of a group are converted, compared with all leads: 0 to 100, 50 for an average group and for an unknown one. */
export function matchOf(group: LeadRate | undefined, all: LeadRate): number {
  const average = all.closed > 0 ? all.converted / all.closed : 0
  if (!group || average === 0) return 50
  const rate = (group.converted + priorLeads * average) / (group.closed + priorLeads)
  return (100 * rate) / (rate + average)
}

/** The names of the factors in answers. */
const shownAs: Readonly<Record<LeadFactor, string>> = {
  industry: 'INDUSTRY',
  numberOfEmployees: 'SIZE',
  title: 'SENIORITY',
  country: 'COUNTRY',
  leadSource: 'SOURCE',
  engagement: 'ENGAGEMENT',
}

export interface ScoredFactor {
  readonly factor: string
  readonly weight: number
  readonly value: number
  readonly contribution: number
}

export interface Scored {
  readonly score: number
  readonly grade: string
  /** Null if all facts are hidden. */
  readonly fit: number | null
  readonly engagement: number | null
  readonly factors: readonly ScoredFactor[]
}

/**
 * The score of F11 from the values of the factors, 0 to 100 each. A factor without a value is hidden from the caller: it drops out, and the weights of the
 * others are scaled up, so that its value cannot be computed from the score. Null if all are hidden.
 */
export function scoreOf(values: Readonly<Partial<Record<LeadFactor, number>>>): Scored | null {
  const names = [...leadFactNames, 'engagement' as const].filter((name) => values[name] !== undefined)
  const total = weightOf(names)
  if (total === 0) return null
  const { sum, parts } = roundTogether(names.map((name) => (factorWeights[name] / total) * values[name]!))
  const facts = names.filter((name) => name !== 'engagement')
  const fit =
    facts.length > 0
      ? rounded(facts.reduce((at, name) => at + (factorWeights[name] / weightOf(facts)) * values[name]!, 0))
      : null
  const engagement = values.engagement ?? null
  return {
    score: sum,
    grade: `${fit === null ? '' : 'ABCD'[quarterOf(fit)]!}${engagement === null ? '' : quarterOf(engagement) + 1}`,
    fit,
    engagement,
    factors: names.map((name, index) => ({
      factor: shownAs[name],
      weight: rounded(factorWeights[name] / total, 4),
      value: rounded(values[name]!),
      contribution: parts[index]!,
    })),
  }
}

const weightOf = (names: readonly LeadFactor[]): number => names.reduce((sum, name) => sum + factorWeights[name], 0)

/** 0 from 75 on, 1 from 50, 2 from 25, 3 below. */
const quarterOf = (value: number): number => [75, 50, 25].filter((least) => value < least).length
