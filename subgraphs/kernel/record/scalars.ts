import { GraphQLScalarType, Kind, valueFromASTUntyped, type ValueNode } from 'graphql'
import { Refusal } from '../errors.ts'

const timestamp = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

/**
 * ISO 8601 to the one form that is stored and answered: UTC with milliseconds. A date alone is its midnight, a time without
 * an offset is UTC. Null for anything else, impossible dates included.
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
    throw new Refusal('VALIDATION_FAILED', 'A date-time is written as ISO 8601, for example 2026-11-21T09:30:00Z.')
  return normalized
}

export const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'ISO 8601 date and time in UTC with milliseconds, for example `2026-11-21T09:30:00.000Z`. Input may carry another offset.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  parseValue: parseTimestamp,
  parseLiteral: (node) => parseTimestamp(node.kind === Kind.STRING ? node.value : null),
})

export const jsonDepthMax = 16

/** More than that in one value holds up whoever reads, checks and stores it. */
export const jsonValuesMax = 10_000

/** Refuses what PostgreSQL cannot store (NUL, lone surrogates) and what nobody can read (endless nesting, endless lists). */
export function checkJson(value: unknown): void {
  if (jsonValuesIn(value) > jsonValuesMax)
    throw new Refusal('VALIDATION_FAILED', `JSON has more than ${jsonValuesMax} values.`)
}

/** How many values there are, this one included; counting ends when there are too many. */
export const jsonValuesIn = (value: unknown): number => countJson(value, 0, 0)

/** `count` and the number of values that are in this one, itself included. */
function countJson(value: unknown, depth: number, count: number): number {
  if (depth > jsonDepthMax) throw new Refusal('VALIDATION_FAILED', `JSON is nested deeper than ${jsonDepthMax} levels.`)
  if (count > jsonValuesMax) return count
  let counted = count + 1
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw new Refusal('VALIDATION_FAILED', 'Text contains a NUL character or half of a surrogate pair.')
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Refusal('VALIDATION_FAILED', 'A number is out of range.')
  } else if (Array.isArray(value)) {
    for (const item of value) counted = countJson(item, depth + 1, counted)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw new Refusal('VALIDATION_FAILED', 'A key named __proto__ is not accepted.')
      if (!isStorable(key))
        throw new Refusal('VALIDATION_FAILED', 'Text contains a NUL character or half of a surrogate pair.')
      counted = countJson(item, depth + 1, counted)
    }
  }
  return counted
}

/** PostgreSQL text holds neither NUL nor half a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function parseJson(value: unknown): unknown {
  checkJson(value)
  return value
}

export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: `Any JSON value, at most ${jsonDepthMax} levels deep and of at most ${jsonValuesMax} values.`,
  serialize: (value) => value,
  parseValue: parseJson,
  parseLiteral: (node: ValueNode, variables) => parseJson(valueFromASTUntyped(node, variables)),
})
