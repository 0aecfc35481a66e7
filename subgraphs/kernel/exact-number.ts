/** A number as JSON text has it, which `JSON.stringify` writes digit by digit. */
export interface RawNumber {
  readonly rawJSON: string
}

/** A number of JSON: a JavaScript number where that has exactly this value, its digits where it has not. */
export type ExactNumber = number | RawNumber

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Most digits of a number when it is written without an exponent. Every JavaScript number has fewer. */
export const digitsMax = 500

/** So many significant digits survive the way through double precision. */
const exactDigits = 15
const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

export const isRawNumber = (value: unknown): value is RawNumber => JSON.isRawJSON(value)

export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'number' ? Number.isFinite(value) : isRawNumber(value)

/** An object of JSON: neither a list nor a number that is kept by its digits. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)

/** What a number is made of: its digits without needless zeros, and how many of them stand before the point. */
interface Parts {
  readonly sign: string
  readonly digits: string
  /** Negative where zeros stand between the point and the digits. */
  readonly point: number
}

/** Null for what is no number, or is longer than any number that can be written out. */
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
 * The one way to write a number without exponent and needless zeros, so that equal numbers are equal texts. Null when that
 * takes more than 500 digits, or the text is no number.
 */
export function plainDigits(text: string): string | null {
  const parts = partsOf(text)
  return parts && isWritable(parts) ? written(parts) : null
}

/** The number that a JSON text says. One that is too long to be written out keeps its text, for whoever refuses it. */
export function exactNumber(text: string): ExactNumber {
  if (text.length <= exactDigits && !/e/i.test(text)) return Number(text)
  const parts = partsOf(text)
  if (!parts || !isWritable(parts)) return JSON.rawJSON(text)
  const nearest = Number(text)
  const found = partsOf(String(nearest))
  return found && isSame(found, parts) ? nearest : JSON.rawJSON(written(parts))
}

/** The same of any text; null for what is not written as JSON writes numbers. */
export const exactNumberOf = (text: string): ExactNumber | null => (grammar.test(text) ? exactNumber(text) : null)

export const textOfNumber = (value: ExactNumber): string => (typeof value === 'number' ? String(value) : value.rawJSON)

/** The closest JavaScript number: for what is a number of double precision by its type, and for checks of types. */
export const nearestNumber = (value: ExactNumber): number => (typeof value === 'number' ? value : Number(value.rawJSON))

/** Digits behind the point; null for a number that is too long to be written out. */
export function decimalsOf(value: ExactNumber): number | null {
  if (Number.isInteger(value)) return 0
  const plain = plainDigits(textOfNumber(value))
  if (plain === null) return null
  const point = plain.indexOf('.')
  return point < 0 ? 0 : plain.length - point - 1
}

/** Negative when the first number is less, positive when it is greater. Both can be written out. */
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
