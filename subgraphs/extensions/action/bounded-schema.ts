import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { parsePattern, Pattern } from '../../kernel/values/pattern.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'

type Json = Readonly<Record<string, unknown>>

export const schemaCharactersMax = 16_384
const depthMax = 8
const partsMax = 200
const patternsMax = 10
const membersMax = 100
const formats = ['date-time', 'date', 'email', 'uri', 'uuid']
const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']
const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
/** Names that plain objects have by themselves. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))
const draft = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

type Check = (value: unknown) => boolean
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isText: Check = (value) => typeof value === 'string' && value.length <= 1_000
const isScalar: Check = (value) => value === null || isText(value) || isNumber(value) || typeof value === 'boolean'
const isMembers: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= membersMax && value.every(isScalar) && isUnique(value)
const isUnique = (list: readonly unknown[]): boolean => new Set(list).size === list.length
const isNames: Check = (value) =>
  Array.isArray(value) && value.length <= partsMax && isUnique(value) && value.every((one) => typeof one === 'string')
const isTypes: Check = (value) =>
  typeof value === 'string'
    ? types.includes(value)
    : Array.isArray(value) && value.length > 0 && isUnique(value) && value.every((one) => types.includes(one as string))

/** The keywords, and what their values are. None refers to another schema, and none takes more than linear time. */
const keywords: Readonly<Record<string, readonly [Check, string]>> = {
  $schema: [(value) => typeof value === 'string' && draft.test(value), 'http://json-schema.org/draft-07/schema#'],
  type: [isTypes, `one or several of ${types.join(', ')}`],
  title: [isText, 'text of at most 1000 characters'],
  description: [isText, 'text of at most 1000 characters'],
  default: [isScalar, 'text, a number, a boolean or null'],
  enum: [isMembers, `1 to ${membersMax} different texts, numbers, booleans or nulls`],
  const: [isScalar, 'text, a number, a boolean or null'],
  format: [(value) => formats.includes(value as string), `one of ${formats.join(', ')}`],
  minLength: [isCount, 'an integer from 0'],
  maxLength: [isCount, 'an integer from 0'],
  minimum: [isNumber, 'a number'],
  maximum: [isNumber, 'a number'],
  exclusiveMinimum: [isNumber, 'a number'],
  exclusiveMaximum: [isNumber, 'a number'],
  minItems: [isCount, 'an integer from 0'],
  maxItems: [isCount, 'an integer from 0'],
  required: [isNames, 'a list of different names'],
}

/** Finds what a schema of a tenant must not have. */
class SchemaBounds {
  readonly problems: FieldProblem[] = []
  #parts = 0
  #patterns = 0

  refuse(path: string, code: string, rule: string): void {
    if (this.problems.length < 20) this.problems.push({ path, code, message: `${path} must ${rule}.` })
  }

  check(schema: unknown, path: string, depth: number): void {
    if (!isJsonObject(schema)) return this.refuse(path, 'WRONG_TYPE', 'be a JSON Schema object')
    if (depth > depthMax) return this.refuse(path, 'TOO_DEEP', `be nested at most ${depthMax} levels deep`)
    if (++this.#parts > partsMax)
      return this.refuse(path, 'TOO_MANY', `not be the part number ${this.#parts} of a schema`)
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, path, depth)
  }

  #keyword(keyword: string, value: unknown, path: string, depth: number): void {
    const place = `${path}.${keyword.slice(0, 64)}`
    if (keyword === 'properties') return this.#properties(value, place, depth)
    if (keyword === 'items') return this.check(value, place, depth + 1)
    if (keyword === 'additionalProperties')
      return typeof value === 'boolean' ? undefined : this.check(value, place, depth + 1)
    if (keyword === 'pattern') return this.#pattern(value, place)
    const known = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    const names = [...Object.keys(keywords), 'properties', 'items', 'additionalProperties', 'pattern']
    if (!known) return this.refuse(place, 'UNKNOWN_FIELD', `not be given; allowed are ${names.join(', ')}`)
    if (!known[0](value)) this.refuse(place, 'WRONG_VALUE', `be ${known[1]}`)
  }

  #properties(value: unknown, path: string, depth: number): void {
    if (!isJsonObject(value)) return this.refuse(path, 'WRONG_TYPE', 'be an object of schemas')
    for (const [name, schema] of Object.entries(value)) {
      const place = `${path}.${name.slice(0, 64)}`
      if (!propertyName.test(name) || inherited.has(name))
        this.refuse(
          place,
          'WRONG_FORMAT',
          'be 1 to 64 letters, digits and underscores, first no digit, and no name of JavaScript',
        )
      else this.check(schema, place, depth + 1)
    }
  }

  #pattern(value: unknown, path: string): void {
    if (typeof value !== 'string') return this.refuse(path, 'WRONG_TYPE', 'be text')
    if (++this.#patterns > patternsMax) return this.refuse(path, 'TOO_MANY', `not be more than ${patternsMax} patterns`)
    const parsed = parsePattern(value)
    if ('reason' in parsed) this.refuse(path, 'WRONG_FORMAT', parsed.reason.replace(/^must /, ''))
  }
}

/** What is wrong with the schema of the input or the output of an action: it describes an object, with these keywords only, and is bounded. */
export function schemaProblems(path: string, schema: unknown): FieldProblem[] {
  const bounds = new SchemaBounds()
  if (isJsonObject(schema) && JSON.stringify(schema).length > schemaCharactersMax)
    bounds.refuse(path, 'TOO_LONG', `have at most ${schemaCharactersMax} characters as JSON`)
  else if (isJsonObject(schema) && (schema as Json)['type'] !== 'object')
    bounds.refuse(`${path}.type`, 'WRONG_VALUE', 'be "object"')
  else bounds.check(schema, path, 1)
  return bounds.problems
}

/** Patterns are matched in linear time. */
const linear = Object.assign((text: string) => new Pattern(text), { code: 'linear' })
const compiled = new LRUCache<string, ValidateFunction>({ max: 200 })

function validatorOf(schema: Json): ValidateFunction {
  const text = JSON.stringify(schema)
  let found = compiled.get(text)
  if (!found) {
    // An instance for each schema, because it keeps what it has compiled. The first problem is reported, because all could be very many.
    const ajv = new Ajv({
      strict: false,
      ownProperties: true,
      validateSchema: false,
      code: { regExp: linear as never },
    })
    addFormats.default(ajv, ['date-time', 'date', 'email', 'uri', 'uuid'])
    found = ajv.compile(JSON.parse(text) as object)
    compiled.set(text, found)
  }
  return found
}

/** What is wrong with a value of the schema that an action or an app has; null if it fits. */
export function problemOfValue(
  schema: Json,
  of: string,
  value: unknown,
  owner: 'the action' | 'the app' = 'the action',
): FieldProblem | null {
  const validate = validatorOf(schema)
  // A plain copy: numbers that are kept exactly are objects otherwise.
  if (validate(JSON.parse(JSON.stringify(value)))) return null
  const { instancePath, keyword, params, message = 'is wrong' } = validate.errors![0]!
  const { missingProperty, additionalProperty } = params as Readonly<Record<string, string | undefined>>
  const parts = [of, ...instancePath.split('/').slice(1), missingProperty ?? additionalProperty ?? '']
  const path = parts.filter(Boolean).join('.').slice(0, 300)
  const code = codes[keyword] ?? 'WRONG_VALUE'
  return { path, code, message: `${path} does not fit the schema of ${owner}: ${message}.` }
}

const codes: Readonly<Record<string, string>> = {
  required: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  type: 'WRONG_TYPE',
}
