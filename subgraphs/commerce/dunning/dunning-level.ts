import type { Big } from 'big.js'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { decimalOf, exactOf, roundToCurrency, zero } from '../../kernel/values/decimal.ts'
import type { Invoice } from '../invoice/invoice.ts'
import type { DunningSettings, DunningStep } from './dunning-configuration.ts'

/** The days after the due day from which a level applies automatically. */
export const daysOfStep = ({ gracePeriodDays }: DunningSettings, { daysOverdue }: DunningStep): number =>
  Math.max(gracePeriodDays, daysOverdue)

/** The last level that has been reached; null before the first. */
export const reachedStep = (settings: DunningSettings, daysOverdue: number): DunningStep | null =>
  settings.steps.findLast((step) => daysOverdue >= daysOfStep(settings, step)) ?? null

/** The level of a reminder that a user sends: at least the first one, and never less than the last one. */
export function stepToSend(settings: DunningSettings, daysOverdue: number, dunningLevel: number): DunningStep {
  const { steps } = settings
  const level = Math.max(reachedStep(settings, daysOverdue)?.level ?? 1, dunningLevel)
  return steps[Math.min(level, steps.length) - 1]!
}

/** The fee of a level, which is claimed once: not when the level was sent before. */
export function feeOf({ fee, level }: DunningStep, { dunningLevel, amountDue, currency }: Invoice): Big {
  if (fee.type === 'NONE' || level <= dunningLevel) return zero
  const value = decimalOf(fee.value)
  const amount = fee.type === 'FIXED' ? value : decimalOf(amountDue).times(value).times('0.01')
  return roundToCurrency(amount, currency)
}

/** Simple interest on what is due, for the days since the due day. */
export const interestOf = (
  { interestRatePercent }: DunningSettings,
  { amountDue, currency }: Invoice,
  daysOverdue: number,
): ExactNumber =>
  exactOf(
    roundToCurrency(
      decimalOf(amountDue).times(decimalOf(interestRatePercent)).times(daysOverdue).div(36_500),
      currency,
    ),
  )
