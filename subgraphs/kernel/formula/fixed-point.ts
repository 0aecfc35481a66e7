import { plainDigits, textOfNumber, type ExactNumber } from '../json/exact-number.ts'

/** Numbers of formulas are integers in units of 10^-20, so that every operation is exact or rounded by the same rule as in PostgreSQL. */
export const decimalsMax = 20
const unit = 10n ** 20n
const numberMax = 10n ** 15n * unit

/** Null beyond 10^15. */
export const bounded = (value: bigint): bigint | null => (value > numberMax || value < -numberMax ? null : value)

const size = (value: bigint): bigint => (value < 0n ? -value : value)

/** The quotient as an integer, half away from zero. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const isAway = 2n * size(dividend % divisor) >= size(divisor)
  return isAway ? quotient + (dividend < 0n === divisor < 0n ? 1n : -1n) : quotient
}

export const product = (one: bigint, other: bigint): bigint => roundedQuotient(one * other, unit)

export const quotient = (dividend: bigint, divisor: bigint): bigint | null =>
  divisor === 0n ? null : roundedQuotient(dividend * unit, divisor)

/** Blank unless the exponent is an integer from 0 to 10. */
export function power(base: bigint, exponent: bigint): bigint | null {
  if (exponent < 0n || exponent > 10n * unit || exponent % unit !== 0n) return null
  const times = exponent / unit
  return times === 0n ? unit : roundedQuotient(base ** times, unit ** (times - 1n))
}

/** Half away from zero; to tens, hundreds and so on for negative `decimals`, which are at least -15. */
export function rounded(value: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(decimalsMax - decimals)
  return roundedQuotient(value, step) * step
}

export function floor(value: bigint): bigint {
  const rest = value % unit
  return rest === 0n ? value : value - rest - (value < 0n ? unit : 0n)
}

export const ceiling = (value: bigint): bigint => -floor(-value)

export const fromInteger = (value: number): bigint => BigInt(value) * unit

/** The integer part, between two bounds. */
export function toCount(value: bigint, low: number, high: number): number {
  const integer = value / unit
  return integer < BigInt(low) ? low : integer > BigInt(high) ? high : Number(integer)
}

/** A number in plain digits, rounded to 20 decimals; null beyond the bounds. */
export function fromDigits(digits: string): bigint | null {
  const isNegative = digits.startsWith('-')
  const [integer = '', fraction = ''] = digits.slice(isNegative ? 1 : 0).split('.')
  const exact = BigInt(integer + fraction.slice(0, decimalsMax).padEnd(decimalsMax, '0'))
  const absolute = fraction.length > decimalsMax && fraction[decimalsMax]! >= '5' ? exact + 1n : exact
  return bounded(isNegative ? -absolute : absolute)
}

export function fromExact(value: ExactNumber): bigint | null {
  const digits = plainDigits(textOfNumber(value))
  return digits === null ? null : fromDigits(digits)
}

/** In plain digits, without zeros at the end. */
export function toDigits(value: bigint): string {
  const digits = String(size(value)).padStart(decimalsMax + 1, '0')
  const fraction = digits.slice(-decimalsMax).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimalsMax)}${fraction === '' ? '' : `.${fraction}`}`
}
