import { Big } from 'big.js'
import { exactNumber, textOfNumber, type ExactNumber } from '../json/exact-number.ts'

const halfEven = 2

/** The number for calculations: sums, differences and products are exact, with any number of digits. */
export const decimalOf = (value: ExactNumber): Big => new Big(textOfNumber(value))

/** The number for JSON. */
export const exactOf = (decimal: Big): ExactNumber => exactNumber(decimal.toFixed())

/** Rounds half to even, as banks do: errors of many roundings cancel each other. */
export const rounded = (decimal: Big, decimals: number): Big => decimal.round(decimals, halfEven)

export const zero = new Big(0)

export const sumOf = (decimals: readonly Big[]): Big => decimals.reduce((sum, decimal) => sum.plus(decimal), zero)
