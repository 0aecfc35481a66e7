import { ceiling, floor, power, product, quotient, rounded, toCount } from '../fixed-point.ts'
import { arithmetic, repeated, type FunctionTable } from './form.ts'

const least = (...values: readonly bigint[]): bigint => values.reduce((one, other) => (other < one ? other : one))
const greatest = (...values: readonly bigint[]): bigint => values.reduce((one, other) => (other > one ? other : one))

/** `least` and `greatest` of PostgreSQL ignore nulls. */
const folded =
  (name: string) =>
  (...values: string[]): string =>
    values.reduce((one, other) => `kernel.formula_${name}(${one}, ${other})`)

export const numbers: FunctionTable = {
  '+': [
    arithmetic(
      ['NUMBER', 'NUMBER'],
      (one, other) => one + other,
      (one, other) => `kernel.formula_number(${one} + ${other})`,
    ),
  ],
  '-': [
    arithmetic(
      ['NUMBER', 'NUMBER'],
      (one, other) => one - other,
      (one, other) => `kernel.formula_number(${one} - ${other})`,
    ),
    arithmetic(
      ['NUMBER'],
      (value) => -value,
      (value) => `- ${value}`,
    ),
  ],
  '*': [arithmetic(['NUMBER', 'NUMBER'], product, (one, other) => `kernel.formula_number(${one} * ${other})`)],
  '/': [arithmetic(['NUMBER', 'NUMBER'], quotient, (one, other) => `kernel.formula_divide(${one}, ${other})`)],

  ABS: [
    arithmetic(
      ['NUMBER'],
      (value) => (value < 0n ? -value : value),
      (value) => `abs(${value})`,
    ),
  ],
  ROUND: [
    arithmetic(
      ['NUMBER'],
      (value) => rounded(value, 0),
      (value) => `round(${value}, 0)`,
    ),
    arithmetic(
      ['NUMBER', 'NUMBER'],
      (value, decimals) => rounded(value, toCount(decimals, -15, 20)),
      (value, decimals) => `kernel.formula_round(${value}, ${decimals})`,
    ),
  ],
  FLOOR: [arithmetic(['NUMBER'], floor, (value) => `floor(${value})`)],
  CEILING: [arithmetic(['NUMBER'], ceiling, (value) => `ceiling(${value})`)],
  MOD: [
    arithmetic(
      ['NUMBER', 'NUMBER'],
      (dividend, divisor) => (divisor === 0n ? null : dividend % divisor),
      (dividend, divisor) => `mod(${dividend}, nullif(${divisor}, 0))`,
    ),
  ],
  POWER: [arithmetic(['NUMBER', 'NUMBER'], power, (base, exponent) => `kernel.formula_power(${base}, ${exponent})`)],
  MIN: [repeated(arithmetic(['NUMBER', 'NUMBER'], least, folded('least')), 1, 1)],
  MAX: [repeated(arithmetic(['NUMBER', 'NUMBER'], greatest, folded('greatest')), 1, 1)],
}
