import { GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { Refusal } from '../errors.ts'
import { isDay } from '../time/days.ts'
import {
  digitsMax,
  exactNumber,
  exactNumberOf,
  isExactNumber,
  isRawNumber,
  plainDigits,
  textOfNumber,
  type ExactNumber,
} from '../json/exact-number.ts'

const timestamp = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

/**
 * Converts ISO 8601 to the canonical form that is stored and returned: UTC with milliseconds. A date without time means midnight
 * UTC, a time without offset means UTC. Null for every other text, including impossible dates.
 */
export function normalizeTimestamp(text: string): string | null {
  const match = timestamp.exec(text)
  if (!match) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  const hasTime = match[4] !== undefined
  const date = new Date(hasTime && match[7] === undefined ? `${text}Z` : text)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999
    ? null
    : date.toISOString()
}

function parseTimestamp(value: unknown): string {
  const normalized = typeof value === 'string' ? normalizeTimestamp(value) : null
  if (normalized === null)
    throw new Refusal('VALIDATION_FAILED', 'A date-time must be ISO 8601, for example 2026-11-21T09:30:00Z.')
  // A date without a time is converted where the time zone of the organization is known (`subgraph/day-arguments.ts`).
  return isDay(value) ? value : normalized
}

export const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'A date and time (ISO 8601) in UTC with milliseconds, for example `2026-11-21T09:30:00.000Z`. Input may have another offset. A date without a time means midnight UTC, or that day in the time zone of the organization where the field says so.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  parseValue: parseTimestamp,
  parseLiteral: (node) => parseTimestamp(node.kind === Kind.STRING ? node.value : null),
})

export const jsonDepthMax = 16

/** Maximum number of values in one JSON value, because parsing, checking and storing more takes too long. */
export const jsonValuesMax = 10_000
/** Maximum digits of all numbers with a large exponent in one value, because PostgreSQL writes them without an exponent. */
const jsonDigitsMax = 250_000

const refuse = (message: string): never => {
  throw new Refusal('VALIDATION_FAILED', message)
}

/** Refuses JSON that PostgreSQL cannot store (NUL, unpaired surrogates), and JSON with too much nesting, too many values or too long numbers. */
export function checkJson(value: unknown): void {
  if (jsonValuesIn(value) > jsonValuesMax) refuse(`JSON must have at most ${jsonValuesMax} values.`)
}

/** The number of values, including this one. Checks each value; stops when there are more than `jsonValuesMax`. */
export function jsonValuesIn(value: unknown): number {
  let values = 0
  let digits = 0
  const checkText = (text: string): void => {
    if (!isStorable(text)) refuse('Text must not contain a NUL character or an unpaired surrogate.')
  }
  const checkNumber = (number: ExactNumber): void => {
    if (!isExactNumber(number)) refuse('A number must be finite.')
    if (typeof number === 'number' && (number === 0 || (Math.abs(number) >= 1e-6 && Math.abs(number) < 1e21))) return
    digits += plainDigits(textOfNumber(number))?.length ?? refuse(`A number must have at most ${digitsMax} digits.`)
    if (digits > jsonDigitsMax) refuse(`The numbers of a value must have at most ${jsonDigitsMax} digits together.`)
  }
  const check = (item: unknown, depth: number): void => {
    if (depth > jsonDepthMax) refuse(`JSON must be nested at most ${jsonDepthMax} levels deep.`)
    if (++values > jsonValuesMax) return
    if (typeof item === 'string') checkText(item)
    else if (typeof item === 'number' || isRawNumber(item)) checkNumber(item)
    else if (Array.isArray(item)) {
      for (const each of item) check(each, depth + 1)
    } else if (item !== null && typeof item === 'object') {
      for (const [key, member] of Object.entries(item)) {
        if (key === '__proto__') refuse('A key must not be named __proto__.')
        checkText(key)
        check(member, depth + 1)
      }
    }
  }
  check(value, 0)
  return values
}

/** Whether PostgreSQL can store the text: it has no NUL character and no unpaired surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function parseJson(value: unknown): unknown {
  checkJson(value)
  return value
}

type LiteralVariables = Readonly<Record<string, unknown>> | null | undefined

/** The value of a literal, independent of its type; numbers keep all digits. */
export function valueOfLiteral(node: ValueNode, variables?: LiteralVariables): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(node.value)
    case Kind.LIST:
      return node.values.map((item) => valueOfLiteral(item, variables))
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, valueOfLiteral(value, variables)]))
    case Kind.VARIABLE:
      return variables?.[node.name.value]
    default:
      return node.value
  }
}

export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: `Any JSON value, nested at most ${jsonDepthMax} levels deep, with at most ${jsonValuesMax} values. Numbers keep all their digits, at most ${digitsMax} each.`,
  serialize: (value) => value,
  parseValue: parseJson,
  parseLiteral: (node: ValueNode, variables) => parseJson(valueOfLiteral(node, variables)),
})

function parseDecimal(value: unknown): ExactNumber {
  const decimal = typeof value === 'string' ? exactNumberOf(value) : value
  if (!isExactNumber(decimal)) return refuse('A decimal must be a number or a text with a number: 1234.5 or "1234.5".')
  // A number that is too long to be written without an exponent has no `plainDigits`.
  return plainDigits(textOfNumber(decimal)) === null
    ? refuse(`A decimal must have at most ${digitsMax} digits.`)
    : decimal
}

export const Decimal = new GraphQLScalarType<ExactNumber, ExactNumber>({
  name: 'Decimal',
  description:
    'A decimal number with all its digits. Output is a JSON number; a client that parses numbers as doubles loses digits after the fifteenth. Input is a number or a text with a number (`1234.5` or `"1234.5"`).',
  serialize: (value) => value as ExactNumber,
  parseValue: parseDecimal,
  parseLiteral: (node) =>
    parseDecimal(node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING ? node.value : null),
})
