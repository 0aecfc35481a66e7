import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'

type Say = (path: string, limit: unknown) => string

const limitOf: Readonly<Record<string, readonly [code: string, message: Say]>> = {
  maxLength: ['TOO_LONG', (path, limit) => `${path} has more than ${limit} characters.`],
  minLength: [
    'TOO_SHORT',
    (path, limit) => (limit === 1 ? `${path} is empty.` : `${path} has fewer than ${limit} characters.`),
  ],
  maxItems: ['TOO_MANY', (path, limit) => `${path} has more than ${limit} items.`],
  minItems: ['TOO_FEW', (path, limit) => `${path} has fewer than ${limit} items.`],
  maxProperties: ['TOO_MANY', (path, limit) => `${path} has more than ${limit} members.`],
  minProperties: ['TOO_FEW', (path, limit) => `${path} has fewer than ${limit} members.`],
  maximum: ['OUT_OF_RANGE', (path, limit) => `${path} is greater than ${limit}.`],
  minimum: ['OUT_OF_RANGE', (path, limit) => `${path} is less than ${limit}.`],
}

const formatInWords: Readonly<Record<string, string>> = {
  uuid: 'an id',
  'date-time': 'a date-time as in 2026-11-21T09:30:00Z',
  etag: 'an entity tag as in "3"',
}

const inWords = (types: unknown): string => {
  const names = Array.isArray(types) ? types.map(String) : String(types).split(',')
  return names.map((name) => (name === 'integer' ? 'a whole number' : name)).join(' or ')
}

/** What ajv found, as the caller sees it. Places start with the part of the request, which the path leaves out. */
export function problemOf(error: ErrorObject): FieldProblem {
  const [, part, ...rest] = error.instancePath.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const names = part === 'header' ? rest.map(headerCase) : rest
  const at = (name?: string): string => (name === undefined ? names : [...names, name]).join('.')
  const path = at()
  const subject = error.propertyName === undefined ? path || 'The body' : `A name in ${path || 'the body'}`
  const params = error.params as Record<string, unknown>
  const limited = limitOf[error.keyword]
  if (limited) return { path, code: limited[0], message: limited[1](subject, params['limit']) }
  switch (error.keyword) {
    case 'required': {
      const missing = at(String(params['missingProperty']))
      return { path: missing, code: 'REQUIRED', message: `${missing} is required.` }
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = at(String(params['additionalProperty'] ?? params['unevaluatedProperty']))
      return { path: unknown, code: 'UNKNOWN_FIELD', message: `${unknown} is not a field that can be set here.` }
    }
    case 'type':
      return { path, code: 'WRONG_TYPE', message: `${subject} must be ${inWords(params['type'])}.` }
    case 'enum':
      return { path, code: 'NOT_ALLOWED', message: `${subject} must be one of ${allowed(params['allowedValues'])}.` }
    case 'format': {
      const format = String(params['format'])
      return {
        path,
        code: 'WRONG_FORMAT',
        message: `${subject} is not ${formatInWords[format] ?? `a valid ${format}`}.`,
      }
    }
    case 'pattern':
      return { path, code: 'WRONG_FORMAT', message: `${subject} does not have the form that is asked for.` }
    case 'parse':
      return { path, code: 'INVALID_JSON', message: `${subject} is not JSON.` }
    default:
      return { path, code: 'NOT_VALID', message: `${subject} ${error.message ?? 'is not valid'}.` }
  }
}

const allowed = (values: unknown): string =>
  (values as readonly (string | null)[]).filter((value) => value !== null).join(', ')

const headerCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
