/** A number kept as its JSON text (`JSON.rawJSON`); `JSON.stringify` writes exactly these digits. */
export interface RawNumber {
  readonly rawJSON: string
}

/** A JSON number without loss: a JavaScript number if that has exactly this value, otherwise its digits. */
export type ExactNumber = number | RawNumber

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Maximum digits of a number written without an exponent. Every JavaScript number has fewer. */
export const digitsMax = 500

/** Significant digits that double precision always preserves. */
const exactDigits = 15
const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

export const isRawNumber = (value: unknown): value is RawNumber => JSON.isRawJSON(value)

export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'number' ? Number.isFinite(value) : isRawNumber(value)

/** A JSON object: neither an array nor a raw number. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)

/** The parts of a number: sign, digits without leading and trailing zeros, and the number of digits before the decimal point. */
interface Parts {
  readonly sign: string
  readonly digits: string
  /** Negative when there are zeros between the point and the digits. */
  readonly point: number
}

/** Null when the text is not a number, or is longer than any number that can be written without an exponent. */
function partsOf(text: string): Parts | null {
  const match = text.length > 2 * digitsMax ? null : number.exec(text)
  if (!match) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const written = (whole + fraction).replace(/^0+/, '')
  const digits = written.replace(/0+$/, '')
  if (digits === '') return { sign: '', digits: '0', point: 1 }
  return { sign, digits, point: written.length - fraction.length + Number(exponent) }
}

const isSame = (one: Parts, other: Parts): boolean =>
  one.point === other.point && one.digits === other.digits && one.sign === other.sign

const isWritable = ({ digits, point }: Parts): boolean =>
  Math.max(point, 1) + Math.max(digits.length - point, 0) <= digitsMax

function written({ sign, digits, point }: Parts): string {
  const integer = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const fraction = point < 0 ? '0'.repeat(-point) + digits : digits.slice(Math.max(point, 0))
  return `${sign}${integer}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * The canonical form of a number, without exponent and redundant zeros: equal numbers give equal texts. Null when it needs more
 * than 500 digits, or the text is not a number.
 */
export function plainDigits(text: string): string | null {
  const parts = partsOf(text)
  return parts && isWritable(parts) ? written(parts) : null
}

/** The number of a JSON text. A number that is too long to be written without an exponent keeps its text, so that validation can refuse it. */
export function exactNumber(text: string): ExactNumber {
  if (text.length <= exactDigits && !/e/i.test(text)) return Number(text)
  const parts = partsOf(text)
  if (!parts || !isWritable(parts)) return JSON.rawJSON(text)
  const nearest = Number(text)
  const found = partsOf(String(nearest))
  return found && isSame(found, parts) ? nearest : JSON.rawJSON(written(parts))
}

/** Like `exactNumber`, for any text; null when the text does not match the JSON grammar of numbers. */
export const exactNumberOf = (text: string): ExactNumber | null => (grammar.test(text) ? exactNumber(text) : null)

export const textOfNumber = (value: ExactNumber): string => (typeof value === 'number' ? String(value) : value.rawJSON)

/** The closest JavaScript number: for values of type double precision, and for type checks. */
export const nearestNumber = (value: ExactNumber): number => (typeof value === 'number' ? value : Number(value.rawJSON))

/** Number of decimals; null for a number that is too long to be written without an exponent. */
export function decimalsOf(value: ExactNumber): number | null {
  if (Number.isInteger(value)) return 0
  const plain = plainDigits(textOfNumber(value))
  if (plain === null) return null
  const point = plain.indexOf('.')
  return point < 0 ? 0 : plain.length - point - 1
}

/** Negative when the first number is less, positive when it is greater. Both must have a `plainDigits` form. */
export function compareNumbers(one: ExactNumber, other: ExactNumber): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const decimals = Math.max(decimalsOf(one) ?? 0, decimalsOf(other) ?? 0)
  const [a, b] = [scaled(one, decimals), scaled(other, decimals)]
  return a < b ? -1 : a > b ? 1 : 0
}

function scaled(value: ExactNumber, decimals: number): bigint {
  const [integer = '0', fraction = ''] = (plainDigits(textOfNumber(value)) ?? '0').split('.')
  return BigInt(integer + fraction.padEnd(decimals, '0'))
}
