import { isExactNumber, isRawNumber, plainDigits, textOfNumber } from '../json/exact-number.ts'
import { columnKinds } from '../record/column-kind.ts'
import { comparedEmail } from '../record/email-equality.ts'
import { isStorable, normalizeTimestamp } from '../record/scalars.ts'
import type { ConditionField } from './condition-fields.ts'
import { comparisonOf, type Comparison, type OperandForm } from './operator-rules.ts'
import { parsePattern, type Pattern } from '../values/pattern.ts'
import { parseDuration, type Duration } from './relative-time.ts'

export const listMax = 100
export const textMax = 1000

/** A literal in the form in which values are compared: times are milliseconds, ids and email addresses are in lower case. */
export type Literal = string | number | boolean | { readonly rawJSON: string }

export type Operand = Literal | readonly Literal[] | Pattern | Duration | null

/** A value that is not an operand, with the reason: `must be a number`. */
export interface Refused {
  readonly reason: string
}

export const isRefused = (operand: unknown): operand is Refused =>
  typeof operand === 'object' && operand !== null && 'reason' in operand

const descriptions: Readonly<Record<Comparison, string>> = {
  TEXT: `text of at most ${textMax} characters`,
  NUMBER: 'a number',
  TIME: 'an ISO 8601 date or date and time',
  BOOLEAN: 'true or false',
  LIST: `text of at most ${textMax} characters`,
  JSON: 'null',
  ANY: 'text, a number, or true or false',
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= textMax && isStorable(value)

export const isComparableNumber = (value: unknown): value is number | { readonly rawJSON: string } =>
  isExactNumber(value) && (typeof value === 'number' || plainDigits(textOfNumber(value)) !== null)

function literalOf(comparison: Comparison, value: unknown): Literal | null {
  switch (comparison) {
    case 'TEXT':
    case 'LIST':
      return isText(value) ? value : null
    case 'NUMBER':
      return isComparableNumber(value) ? value : null
    case 'TIME': {
      const time = typeof value === 'string' ? normalizeTimestamp(value) : null
      return time === null ? null : Date.parse(time)
    }
    case 'BOOLEAN':
      return typeof value === 'boolean' ? value : null
    case 'ANY':
      return literalOf('BOOLEAN', value) ?? literalOf('NUMBER', value) ?? literalOf('TEXT', value)
    default:
      return null
  }
}

function parseLiteral(
  { kind, members, isEmail }: ConditionField,
  comparison: Comparison,
  value: unknown,
): Literal | Refused {
  if (members && !members.includes(value as string)) return { reason: `must be one of ${members.join(', ')}` }
  if (kind === 'id') {
    const isId = columnKinds.id.parse(value) !== undefined
    return isId ? (value as string).toLowerCase() : { reason: 'must be an id (UUID)' }
  }
  const literal = literalOf(comparison, value)
  if (isEmail && typeof literal === 'string') return comparedEmail(literal)
  return literal ?? { reason: `must be ${descriptions[comparison]}` }
}

function parseList(
  field: ConditionField,
  comparison: Comparison,
  value: unknown,
  [least, most]: readonly [number, number],
): readonly Literal[] | Refused {
  if (!Array.isArray(value) || value.length < least || value.length > most) {
    const count = least === most ? `exactly ${most}` : `between ${least} and ${most}`
    return { reason: `must be a list of ${count} values` }
  }
  const items = value.map((item) => parseLiteral(field, comparison, item))
  const refused = items.findIndex(isRefused)
  return refused < 0 ? (items as Literal[]) : { reason: `${(items[refused] as Refused).reason} (item ${refused})` }
}

/** The comparison of a field by an operator with this value. For a field without a declared type, operator and value decide. */
export function comparisonWith(
  { kind }: ConditionField,
  fits: readonly Comparison[] | undefined,
  value: unknown,
): Comparison {
  const comparison = comparisonOf(kind)
  if (comparison !== 'ANY' || !fits) return comparison
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (fits.includes('NUMBER') && (typeof one === 'number' || isRawNumber(one))) return 'NUMBER'
  return fits.includes('TEXT') ? 'ANY' : 'TIME'
}

/** The operand of an operator, checked; a reason when it is none. */
export function parseOperand(
  field: ConditionField,
  form: OperandForm,
  comparison: Comparison,
  value: unknown,
): Operand | Refused {
  if (form !== 'NONE' && (value === null || value === undefined))
    return { reason: 'is required; use IS_EMPTY and IS_NOT_EMPTY to compare with no value' }
  switch (form) {
    case 'NONE':
      return value === null || value === undefined
        ? null
        : { reason: 'must be absent, because the operator takes none' }
    case 'ONE':
      return parseLiteral(field, comparison, value)
    case 'TEXT':
      return isText(value) && value !== '' ? value.toLowerCase() : { reason: `must be ${descriptions.TEXT}, not empty` }
    case 'LIST':
      return parseList(field, comparison, value, [1, listMax])
    case 'RANGE':
      return parseList(field, comparison, value, [2, 2])
    case 'PATTERN':
      return typeof value === 'string' ? parsePattern(value) : { reason: 'must be text' }
    case 'DURATION':
      return parseDuration(value) ?? { reason: 'must be an ISO 8601 duration such as P7D or PT2H, or a number of days' }
  }
}
