import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { decimalOf, exactOf, roundToCurrency } from '../../kernel/values/decimal.ts'
import type { AccountFacts } from './account-facts.ts'
import { healthOf, isRenewalNear } from './account-health.ts'
import { churnBand, churnRiskOf, type Risk } from './churn-risk.ts'
import type { PaymentQuintiles } from './payment-quintiles.ts'
import type { StoredSignal } from './stored-parts.ts'
import type { TriageCase } from './triage-case.ts'
import type { AppliedSettings, TriageSettings } from './triage-config.ts'
import type { TriageSeverity } from './triage.enumerations.ts'

export interface AssessedAccount {
  readonly facts: AccountFacts
  readonly health: number | null
  readonly risk: Risk
  readonly revenueAtRisk: ExactNumber | null
}

/** What a scan assesses accounts with. */
export interface Measure extends Pick<TriageSettings, 'weights' | 'lookbackDays'> {
  readonly quintiles: PaymentQuintiles | null
  readonly currency: string
}

export function assess(facts: AccountFacts, measure: Measure): AssessedAccount {
  const { currency } = measure
  const { score: health } = healthOf(facts)
  const risk = churnRiskOf(facts, health, measure)
  const revenueAtRisk =
    facts.revenue === null
      ? null
      : exactOf(roundToCurrency(decimalOf(facts.revenue).times(String(risk.score)).div(100), currency))
  return { facts, health, risk, revenueAtRisk }
}

export function severityOf(score: number, { critical, high, medium }: TriageSettings['thresholds']): TriageSeverity {
  if (score >= critical) return 'CRITICAL'
  if (score >= high) return 'HIGH'
  return score >= medium ? 'MEDIUM' : 'LOW'
}

const renewalDaysMax = 90

/** The revenue at risk, up to twice as much the nearer a renewal is. */
function urgencyOf({ facts, revenueAtRisk }: AssessedAccount): number | null {
  if (revenueAtRisk === null) return null
  const nearness = isRenewalNear(facts) ? (renewalDaysMax - facts.renewalDays!) / renewalDaysMax : 0
  return Math.round(Number(decimalOf(revenueAtRisk)) * (1 + nearness) * 100) / 100
}

/** A signal was detected when it first had a value in the case. */
function signalsSince({ signals }: Risk, earlier: readonly StoredSignal[], computedAt: string): StoredSignal[] {
  const before = new Map(earlier.map((signal) => [signal.key, signal]))
  return signals.map((signal) => {
    const known = before.get(signal.key)
    const isKnown = known !== undefined && (known.value !== 0 || signal.value === 0)
    return { ...signal, detectedAt: isKnown ? known.detectedAt : computedAt }
  })
}

/** The columns of a case that a scan sets. */
export function figuresOf(
  assessed: AssessedAccount,
  { thresholds, modelVersion }: AppliedSettings,
  { earlier, currency, computedAt }: { earlier: readonly StoredSignal[]; currency: string; computedAt: string },
): Pick<
  TriageCase,
  | 'severity'
  | 'riskScore'
  | 'churnRisk'
  | 'revenueAtRisk'
  | 'currency'
  | 'urgency'
  | 'modelVersion'
  | 'computedAt'
  | 'storedSignals'
> {
  const { risk, revenueAtRisk } = assessed
  return {
    severity: severityOf(risk.score, thresholds),
    riskScore: risk.score,
    churnRisk: churnBand(risk.score),
    revenueAtRisk,
    currency,
    urgency: urgencyOf(assessed),
    modelVersion,
    computedAt,
    storedSignals: signalsSince(risk, earlier, computedAt),
  }
}
