import { engagementScore } from '../engagement/decay.ts'
import { momentumOfWindows, momentumScore } from '../engagement/momentum.ts'
import { roundTogether } from '../largest-remainder.ts'
import type { AccountFacts } from './account-facts.ts'

export type HealthPartKey = 'ENGAGEMENT' | 'SUPPORT' | 'PAYMENT' | 'RELATIONSHIP' | 'USAGE_OR_RENEWAL'

const weights: Readonly<Record<HealthPartKey, number>> = {
  ENGAGEMENT: 0.3,
  SUPPORT: 0.2,
  PAYMENT: 0.2,
  RELATIONSHIP: 0.15,
  USAGE_OR_RENEWAL: 0.15,
}
const renewalWithinDays = 90
/** So many active contacts are enough. */
const contactsEnough = 3
const withoutDecisionMaker = 0.7

export interface HealthPart {
  readonly key: HealthPartKey
  /** 0 to 100. */
  readonly score: number
  /** The share of the part in the score, after those without data have dropped out. */
  readonly weight: number
  readonly contribution: number
}

export interface Health {
  /** 0 to 100; null without any part. */
  readonly score: number | null
  readonly parts: readonly HealthPart[]
}

export const silent = { silenceDays: null, usualGapDays: null }

/** The change of product usage; null without any in 42 days. */
export const usageVelocity = ({ uses }: AccountFacts): number | null =>
  uses.some((count) => count > 0) ? momentumOfWindows(uses, silent).velocity : null

export const isRenewalNear = ({ renewalDays }: AccountFacts): boolean =>
  renewalDays !== null && renewalDays >= 0 && renewalDays <= renewalWithinDays

function usageOrRenewal(facts: AccountFacts): number | null {
  const velocity = usageVelocity(facts)
  if (velocity !== null) return momentumScore(velocity)
  return isRenewalNear(facts) ? (facts.openRenewals.length > 0 ? 100 : 0) : null
}

function partScores(facts: AccountFacts): Record<HealthPartKey, number | null> {
  const { engagementSum, k, cases, urgentCount, otherOpenCases, invoices, balance, overdue } = facts
  const breadth =
    Math.min(1, facts.contactsActive / contactsEnough) * (facts.hasDecisionMaker ? 1 : withoutDecisionMaker)
  return {
    ENGAGEMENT: engagementSum === null ? null : engagementScore(engagementSum, k),
    SUPPORT: cases === 0 ? null : Math.max(0, 100 - 25 * urgentCount - 10 * otherOpenCases),
    PAYMENT: invoices === 0 ? null : 100 * (1 - (balance > 0 ? overdue / balance : 0)),
    RELATIONSHIP: facts.contacts === 0 ? null : 100 * breadth,
    USAGE_OR_RENEWAL: usageOrRenewal(facts),
  }
}

/** F14. Parts without data drop out and the weights of the others are scaled up. */
export function healthOf(facts: AccountFacts): Health {
  const scores = Object.entries(partScores(facts)) as [HealthPartKey, number | null][]
  const known = scores.flatMap(([key, score]) => (score === null ? [] : [{ key, score }]))
  const total = known.reduce((sum, { key }) => sum + weights[key], 0)
  if (total === 0) return { score: null, parts: [] }
  const { sum, parts } = roundTogether(known.map(({ key, score }) => (score * weights[key]) / total))
  return {
    score: sum,
    parts: known.map(({ key, score }, index) => ({
      key,
      score: Math.round(score * 100) / 100,
      weight: Math.round((weights[key] / total) * 10_000) / 10_000,
      contribution: parts[index]!,
    })),
  }
}
