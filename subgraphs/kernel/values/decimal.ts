import { Big, type BigConstructor } from 'big.js'
import { exactNumber, textOfNumber, type ExactNumber } from '../json/exact-number.ts'
import { currencyDecimals } from './currency.ts'

const halfEven = 2

/** Sums, differences and products are exact, with any number of digits; only quotients are rounded. */
const ExactDecimal: BigConstructor = Big()
ExactDecimal.DP = 100
ExactDecimal.RM = halfEven

/** The number for calculations. */
export const decimalOf = (value: ExactNumber): Big => new ExactDecimal(textOfNumber(value))

/** The number as JSON, GraphQL and PostgreSQL get it: with all digits. */
export const exactOf = (decimal: Big): ExactNumber => exactNumber(decimal.toFixed())

/** Rounds half to even, as banks do: errors of many roundings cancel each other. */
export const rounded = (decimal: Big, decimals: number): Big => decimal.round(decimals, halfEven)

/** Rounds half to even, to the decimals of the currency by ISO 4217. */
export const roundToCurrency = (decimal: Big, currency: string): Big => rounded(decimal, currencyDecimals(currency))

export const zero = new ExactDecimal(0)

export const sumOf = (decimals: readonly Big[]): Big => decimals.reduce((sum, decimal) => sum.plus(decimal), zero)
