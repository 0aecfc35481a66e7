import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import { patternText } from './pattern-texts.ts'

interface Limit {
  readonly code: string
  readonly minimum: string
  readonly maximum: string
  /** Null if the value itself is limited, and not its length. */
  readonly unit: string | null
}

const characters = { minimum: 'minLength', maximum: 'maxLength', unit: 'character' } as const
const items = { minimum: 'minItems', maximum: 'maxItems', unit: 'item' } as const
const members = { minimum: 'minProperties', maximum: 'maxProperties', unit: 'member' } as const
const numbers = { minimum: 'minimum', maximum: 'maximum', unit: null } as const

/** The error code and the bounds of each JSON Schema keyword that limits a value. */
const limits: Readonly<Record<string, Limit>> = {
  maxLength: { code: 'TOO_LONG', ...characters },
  minLength: { code: 'TOO_SHORT', ...characters },
  maxItems: { code: 'TOO_MANY', ...items },
  minItems: { code: 'TOO_FEW', ...items },
  maxProperties: { code: 'TOO_MANY', ...members },
  minProperties: { code: 'TOO_FEW', ...members },
  maximum: { code: 'OUT_OF_RANGE', ...numbers },
  minimum: { code: 'OUT_OF_RANGE', ...numbers },
}

/** The message names both bounds if the schema has both. */
function limitMessage(
  subject: string,
  { minimum, maximum, unit }: Limit,
  schema: Readonly<Record<string, number | undefined>>,
): string {
  const [least, most] = [schema[minimum], schema[maximum]]
  const hasBoth = least !== undefined && most !== undefined
  if (unit === null) {
    const range = hasBoth
      ? `between ${least} and ${most}`
      : most === undefined
        ? `at least ${least}`
        : `at most ${most}`
    return `${subject} must be ${range}.`
  }
  const range = hasBoth ? `${least} to ${most}` : most === undefined ? `at least ${least}` : `at most ${most}`
  return `${subject} must have ${range} ${unit}${(most ?? least) === 1 ? '' : 's'}.`
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: 'an id (UUID)',
  'date-time': 'a date-time such as 2026-11-21T09:30:00Z',
  email: 'an email address',
  uri: 'a URL',
  etag: 'an entity tag such as "3"',
  'any-etag': '*',
}

const typeNames = (types: unknown): string => {
  const names = Array.isArray(types) ? types.map(String) : String(types).split(',')
  return names.map((name) => (name === 'integer' ? 'a whole number' : name)).join(' or ')
}

/** Converts an error of ajv. The instance path starts with the part of the request (query, header, body), which `path` omits. */
export function problemOf(error: ErrorObject): FieldProblem {
  const [, part, ...rest] = error.instancePath.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const names = part === 'header' ? rest.map(headerCase) : rest
  const at = (name?: string): string => (name === undefined ? names : [...names, name]).join('.')
  const path = at()
  const subject = error.propertyName === undefined ? path || 'The body' : `A name in ${path || 'the body'}`
  const params = error.params as Record<string, unknown>
  const limit = limits[error.keyword]
  if (limit) {
    const schema = (error.parentSchema ?? { [error.keyword]: params['limit'] }) as Record<string, number | undefined>
    return { path, code: limit.code, message: limitMessage(subject, limit, schema) }
  }
  switch (error.keyword) {
    case 'required': {
      const missing = at(String(params['missingProperty']))
      return { path: missing, code: 'REQUIRED', message: `${missing} is required.` }
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = at(String(params['additionalProperty'] ?? params['unevaluatedProperty']))
      return { path: unknown, code: 'UNKNOWN_FIELD', message: `${unknown} is not a field of this request; remove it.` }
    }
    case 'type':
      return { path, code: 'WRONG_TYPE', message: `${subject} must be ${typeNames(params['type'])}.` }
    case 'enum':
      return { path, code: 'NOT_ALLOWED', message: `${subject} must be one of ${allowed(params['allowedValues'])}.` }
    case 'format': {
      const format = String(params['format'])
      return {
        path,
        code: format === 'email' ? 'NOT_AN_EMAIL' : 'WRONG_FORMAT',
        message: `${subject} must be ${formatNames[format] ?? `a valid ${format}`}.`,
      }
    }
    case 'pattern':
      return { path, code: 'WRONG_FORMAT', message: `${subject} ${patternMessage(String(params['pattern']))}.` }
    case 'parse':
      return { path, code: 'INVALID_JSON', message: `${subject} must be JSON.` }
    default:
      return { path, code: 'NOT_VALID', message: `${subject} ${error.message ?? 'must be valid'}.` }
  }
}

const patternMessage = (pattern: string): string => patternText(pattern) ?? `must match the pattern ${pattern}`

const allowed = (values: unknown): string =>
  (values as readonly (string | null)[]).filter((value) => value !== null).join(', ')

const headerCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
