import { momentumOfWindows } from '../engagement/momentum.ts'
import { roundTogether } from '../largest-remainder.ts'
import type { AccountFacts } from './account-facts.ts'
import { isRenewalNear, silent, usageVelocity } from './account-health.ts'
import { rfmOf, type PaymentQuintiles, type Rfm } from './payment-quintiles.ts'
import type { Evidence } from './stored-parts.ts'
import type { TriageEntityType, TriageSignalKey } from './triage.enumerations.ts'

/** b and w of F10. */
export interface RiskWeights {
  readonly baseRate: number
  readonly engagementVelocity: number
  readonly silence: number
  readonly championLeft: number
  readonly openCases: number
  readonly casesReopened: number
  readonly invoicesOverdue: number
  readonly productUsage: number
  readonly renewal: number
  readonly healthDrop: number
  readonly payments: number
}

export const riskWeights: RiskWeights = {
  baseRate: -2.5,
  engagementVelocity: -1.2,
  silence: 0.5,
  championLeft: 1,
  openCases: 0.6,
  casesReopened: 0.8,
  invoicesOverdue: 0.9,
  productUsage: -1,
  renewal: 0.8,
  healthDrop: 0.7,
  payments: 1,
}

/** The weights of the signals, in the order of `riskInputs`. */
export const weightNames = Object.keys(riskWeights).filter((name) => name !== 'baseRate') as Exclude<
  keyof RiskWeights,
  'baseRate'
>[]

const openCasesMax = 3
const silenceUnitDays = 30
const healthDropMin = 15

export interface RiskSignal {
  readonly key: TriageSignalKey
  /** The signal in words, if its value says too little. */
  readonly label?: string
  readonly value: number
  readonly weight: number
  readonly contribution: number
  readonly evidence: readonly Evidence[]
}

export interface RiskInput {
  readonly key: TriageSignalKey
  readonly label?: string
  readonly weight: Exclude<keyof RiskWeights, 'baseRate'>
  /** x; null without data, and the signal drops out. */
  readonly value: number | null
  readonly evidence: readonly Evidence[]
}

const evidence = (entityType: TriageEntityType, entityIds: readonly (string | null)[]): Evidence[] =>
  entityIds.flatMap((entityId) => (entityId === null ? [] : [{ entityType, entityId }]))

/** The longest silence is the lookback; an account without any activity is silent since it was created. */
function silenceDays({ silenceDays: days, ageDays }: AccountFacts, lookbackDays: number): number {
  return Math.min(lookbackDays, days ?? ageDays)
}

const labelOf = ({ recency, frequency, monetary }: Rfm): string =>
  `Payments among the fifths of all accounts, 5 the best: recency ${recency}, frequency ${frequency}, amount ${monetary}`

/** -1 for the best fifths of recency, frequency and amount, 1 for the lowest. */
const paymentsValue = ({ recency, frequency, monetary }: Rfm): number => (3 - (recency + frequency + monetary) / 3) / 2

/** How the risk is computed from the facts. */
export interface RiskFrame {
  readonly lookbackDays: number
  /** Null: too few accounts pay, or nothing is known of it. */
  readonly quintiles: PaymentQuintiles | null
}

/** The signals of F10 without the base rate, always in this order. */
export function riskInputs(
  facts: AccountFacts,
  health: number | null,
  { lookbackDays, quintiles }: RiskFrame,
): RiskInput[] {
  // Nothing is known of the activities of such an account, so its payments stand for them.
  const rfm = facts.hasPaid && quintiles ? rfmOf(facts.payments, quintiles) : null
  const { recentCases, balance, healthBefore } = facts
  const hasLost = facts.championsLeft.length > 0 && facts.championsActive === 0
  const hasDropped = health !== null && healthBefore !== null ? Number(healthBefore - health > healthDropMin) : null
  const lacksRenewal = isRenewalNear(facts) ? Number(facts.openRenewals.length === 0) : null
  const last = evidence('ACTIVITY', [facts.lastActivityId])
  return [
    {
      key: 'ENGAGEMENT_VELOCITY',
      weight: 'engagementVelocity',
      value: facts.points.some((sum) => sum > 0) ? momentumOfWindows(facts.points, silent).velocity : null,
      evidence: last,
    },
    {
      key: 'SILENCE',
      weight: 'silence',
      value: rfm ? null : silenceDays(facts, lookbackDays) / silenceUnitDays,
      evidence: last,
    },
    {
      key: 'CHAMPION_LEFT',
      weight: 'championLeft',
      value: Number(hasLost),
      evidence: hasLost ? evidence('CONTACT', facts.championsLeft) : [],
    },
    {
      key: 'OPEN_CASES',
      weight: 'openCases',
      value: Math.min(openCasesMax, facts.urgentCount),
      evidence: evidence('CASE', facts.urgentCases),
    },
    {
      key: 'CASES_REOPENED',
      weight: 'casesReopened',
      value: recentCases === 0 ? null : facts.reopenedCount / recentCases,
      evidence: evidence('CASE', facts.reopenedCases),
    },
    {
      key: 'INVOICES_OVERDUE',
      weight: 'invoicesOverdue',
      value: balance > 0 ? facts.longOverdue / balance : null,
      evidence: evidence('INVOICE', facts.overdueInvoices),
    },
    { key: 'PRODUCT_USAGE', weight: 'productUsage', value: usageVelocity(facts), evidence: [] },
    {
      key: 'RENEWAL',
      weight: 'renewal',
      value: lacksRenewal,
      evidence: evidence('OPPORTUNITY', lacksRenewal ? [facts.renewedDealId] : facts.openRenewals),
    },
    { key: 'HEALTH_DROP', weight: 'healthDrop', value: hasDropped, evidence: [] },
    {
      key: 'PAYMENTS',
      weight: 'payments',
      value: rfm && paymentsValue(rfm),
      evidence: evidence('INVOICE', facts.paidInvoices),
      ...(rfm && { label: labelOf(rfm) }),
    },
  ]
}

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z))

/** (σ(z) − σ(b))/(z − b), and its limit where they are equal. */
function slope(z: number, b: number): number {
  const middle = sigmoid(b)
  return Math.abs(z - b) < 1e-9 ? middle * (1 - middle) : (sigmoid(z) - middle) / (z - b)
}

export interface Risk {
  /** 0 to 100, the sum of the contributions. */
  readonly score: number
  readonly signals: readonly RiskSignal[]
}

/** F10: 100·σ(b + Σ w·x), shared out over the signals in proportion to w·x, with what the base rate alone would be. */
export function churnRiskOf(
  facts: AccountFacts,
  health: number | null,
  { weights, ...frame }: RiskFrame & { readonly weights: RiskWeights },
): Risk {
  const b = weights.baseRate
  const known = riskInputs(facts, health, frame).flatMap((input) =>
    input.value === null ? [] : [{ ...input, value: input.value, weight: weights[input.weight] }],
  )
  const z = known.reduce((sum, { value, weight }) => sum + weight * value, b)
  const share = slope(z, b)
  const exact = [100 * sigmoid(b), ...known.map(({ value, weight }) => 100 * weight * value * share)]
  const { sum, parts } = roundTogether(exact)
  const base = { key: 'BASE_RATE' as const, value: 1, weight: b, contribution: parts[0]!, evidence: [] }
  const signals = known.map(({ key, label, value, weight, evidence: proof }, index) => ({
    key,
    ...(label !== undefined && { label }),
    value: Math.round(value * 10_000) / 10_000,
    weight,
    contribution: parts[index + 1]!,
    evidence: value === 0 ? [] : proof,
  }))
  return { score: Math.min(100, Math.max(0, sum)), signals: [base, ...signals] }
}

const bands = [
  ['HIGH', 70],
  ['MEDIUM', 40],
  ['LOW', 15],
] as const

export const churnBand = (score: number): 'HIGH' | 'MEDIUM' | 'LOW' | 'NONE' =>
  bands.find(([, least]) => score >= least)?.[0] ?? 'NONE'
