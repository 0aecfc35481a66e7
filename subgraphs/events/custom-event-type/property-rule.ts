import { matchedCharactersMax, parsePattern, type Pattern } from '../../kernel/values/pattern.ts'
import {
  compareNumbers,
  decimalsOf,
  isExactNumber,
  isRawNumber,
  textOfNumber,
  type ExactNumber,
} from '../../kernel/json/exact-number.ts'
import { isId } from '../../kernel/ids.ts'
import { isStorable, normalizeTimestamp } from '../../kernel/record/scalars.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'

export const formats = ['date-time', 'date', 'email', 'uri', 'uuid'] as const
type Format = (typeof formats)[number]

export const scalarTypes = ['string', 'integer', 'number', 'boolean'] as const
export type ScalarType = (typeof scalarTypes)[number]

export type Scalar = string | boolean | ExactNumber | null

/** What one property of a payload may be, compiled from its JSON Schema. */
export interface PropertyRule {
  readonly type: ScalarType
  readonly isNullable: boolean
  readonly format?: Format
  readonly members?: readonly Scalar[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: Pattern
  readonly minimum?: ExactNumber
  readonly maximum?: ExactNumber
  readonly exclusiveMinimum?: ExactNumber
  readonly exclusiveMaximum?: ExactNumber
}

/** Why a value is refused: a code, and the sentence after the name of the property. */
export interface Flaw {
  readonly code: string
  readonly reason: string
}

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

const hasFormat: Readonly<Record<Format, (text: string) => boolean>> = {
  'date-time': (text) => dateTime.test(text) && normalizeTimestamp(text) !== null,
  date: (text) => text.length === 10 && normalizeTimestamp(text) !== null,
  email: (text) => parseEmail(text) === text.trim() || parseEmail(text)?.toLowerCase() === text.toLowerCase(),
  uri: (text) => text.length <= 2000 && /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text),
  uuid: isId,
}

const nouns: Readonly<Record<ScalarType, string>> = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

function hasType(type: ScalarType, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return isExactNumber(value) && decimalsOf(value) === 0
    case 'number':
      return isExactNumber(value)
  }
}

const shown = (value: Scalar): string =>
  typeof value === 'number' || isRawNumber(value) ? textOfNumber(value) : JSON.stringify(value)

const listedMax = 500

/** The members for a message, cut off where they would be too long. */
function listed(members: readonly Scalar[]): string {
  const text = members.map(shown).join(', ')
  return text.length <= listedMax ? text : `${text.slice(0, listedMax)} …`
}

function textFlaw({ format, minLength, maxLength, pattern }: PropertyRule, text: string): Flaw | null {
  if (!isStorable(text))
    return { code: 'NOT_TEXT', reason: 'must not contain a NUL character or an unpaired surrogate' }
  const length = minLength !== undefined || maxLength !== undefined ? [...text].length : 0
  if (minLength !== undefined && length < minLength)
    return { code: 'TOO_SHORT', reason: `must have at least ${minLength} characters` }
  if (maxLength !== undefined && length > maxLength)
    return { code: 'TOO_LONG', reason: `must have at most ${maxLength} characters` }
  if (format && !hasFormat[format](text)) return { code: 'WRONG_FORMAT', reason: `must have the format ${format}` }
  if (pattern && text.length > matchedCharactersMax)
    return {
      code: 'TOO_LONG',
      reason: `must have at most ${matchedCharactersMax} characters, because it has a pattern`,
    }
  if (pattern && !pattern.test(text)) return { code: 'WRONG_FORMAT', reason: 'must match the pattern of the schema' }
  return null
}

function numberFlaw(rule: PropertyRule, value: ExactNumber): Flaw | null {
  const bounds: readonly (readonly [ExactNumber | undefined, string, (order: number) => boolean])[] = [
    [rule.minimum, 'at least', (order) => order >= 0],
    [rule.maximum, 'at most', (order) => order <= 0],
    [rule.exclusiveMinimum, 'greater than', (order) => order > 0],
    [rule.exclusiveMaximum, 'less than', (order) => order < 0],
  ]
  for (const [bound, words, holds] of bounds) {
    if (bound === undefined || holds(compareNumbers(value, bound))) continue
    return { code: 'OUT_OF_RANGE', reason: `must be ${words} ${textOfNumber(bound)}` }
  }
  return null
}

/** The first reason to refuse the value; null if the rule allows it. */
export function flawOf(rule: PropertyRule, value: unknown): Flaw | null {
  const { type, isNullable, members } = rule
  if (value === null && isNullable && !members) return null
  if (members) {
    if (members.some((member) => isSameValue(member, value))) return null
    return { code: 'NOT_ALLOWED', reason: `must be one of ${listed(members)}` }
  }
  if (!hasType(type, value))
    return { code: 'WRONG_TYPE', reason: `must be ${nouns[type]}${isNullable ? ' or null' : ''}` }
  if (typeof value === 'string') return textFlaw(rule, value)
  return isExactNumber(value) ? numberFlaw(rule, value) : null
}

/** Compiles the keyword `pattern`, which has been checked. */
export function patternOf(text: string): Pattern {
  const pattern = parsePattern(text)
  if ('reason' in pattern) throw new Error(`The pattern ${pattern.reason}.`)
  return pattern
}
