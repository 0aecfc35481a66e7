import { Decimal } from 'decimal.js'
import { exactNumber, textOfNumber, type ExactNumber } from '../json/exact-number.ts'
import { currencyDecimals } from './currency.ts'

/**
 * Decimal arithmetic for amounts. A result keeps 200 significant digits, more than any sum or product of amounts, rates and quantities
 * has, so only quotients are rounded: half to even.
 */
export const ExactDecimal = Decimal.clone({ precision: 200, rounding: Decimal.ROUND_HALF_EVEN, maxE: 1e6, minE: -1e6 })
export type ExactDecimal = Decimal

export const decimalOf = (value: ExactNumber): ExactDecimal => new ExactDecimal(textOfNumber(value))

/** The number as JSON, GraphQL and PostgreSQL get it: with all digits. */
export const exactNumberOfDecimal = (value: ExactDecimal): ExactNumber => exactNumber(value.toFixed())

/** Rounds half to even, to the decimals of the currency by ISO 4217. */
export const roundToCurrency = (value: ExactDecimal, currency: string): ExactDecimal =>
  value.toDecimalPlaces(currencyDecimals(currency), Decimal.ROUND_HALF_EVEN)
