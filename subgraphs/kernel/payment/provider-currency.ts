import type { Big } from 'big.js'
import { exactNumber, type ExactNumber } from '../json/exact-number.ts'
import { currencyDecimals } from '../values/currency.ts'
import { decimalOf, exactOf } from '../values/decimal.ts'

/** How the provider counts amounts of a currency. */
interface Units {
  /** Decimals of the unit in which amounts are sent and read. */
  readonly decimals: number
  /** Amounts are multiples of this many units. */
  readonly step: number
}

const all = (codes: string, units: Units): (readonly [string, Units])[] =>
  codes.split(' ').map((code) => [code, units] as const)

/**
 * What differs from hundredths in the table of the provider (docs.stripe.com/currencies), which is not ISO 4217: MGA has no decimals there,
 * ISK and UGX have none but are sent with two, and the last digit of amounts with three decimals must be 0.
 */
const special: ReadonlyMap<string, Units> = new Map([
  ...all('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF', { decimals: 0, step: 1 }),
  ...all('ISK UGX', { decimals: 2, step: 100 }),
  ...all('BHD JOD KWD OMR TND', { decimals: 3, step: 10 }),
])

/** Null for a currency whose unit is no hundredth and that the provider does not name: nobody knows how an amount would be read. */
const unitsOf = (currency: string): Units | null =>
  special.get(currency) ?? (currencyDecimals(currency) === 2 ? { decimals: 2, step: 1 } : null)

const roundUp = 3

/** The least amount that the provider can charge for this one: usually the same, and never less. Null: it cannot charge in the currency. */
export function chargeOf(amount: ExactNumber, currency: string): ExactNumber | null {
  const units = unitsOf(currency)
  return units && exactOf(stepsOf(amount, units).times(units.step).times(`1e-${units.decimals}`))
}

const stepsOf = (amount: ExactNumber, { decimals, step }: Units): Big =>
  decimalOf(amount).times(`1e${decimals}`).div(step).round(0, roundUp)

/** The amount as the provider is sent it. */
export function sentUnits(amount: ExactNumber, currency: string): string | null {
  const units = unitsOf(currency)
  return units && stepsOf(amount, units).times(units.step).toFixed(0)
}

/** The amount that the provider has written as `count` units. */
export function readUnits(count: number, currency: string): ExactNumber | null {
  const units = unitsOf(currency)
  return units && exactOf(decimalOf(exactNumber(String(count))).times(`1e-${units.decimals}`))
}
