import { parsePattern } from '../../kernel/values/pattern.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isExactNumber, isJsonObject, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import {
  flawOf,
  formats,
  patternOf,
  scalarTypes,
  type PropertyRule,
  type Scalar,
  type ScalarType,
} from './property-rule.ts'
import { sampleValueOf } from './sample-value.ts'

type Json = Readonly<Record<string, unknown>>

export const propertiesMax = 100
export const schemaCharactersMax = 16_384
export const enumMax = 100
/** Each pattern may take milliseconds. */
export const patternsMax = 10
export const lengthMax = 10_000
const textMax = 1000
const examplesMax = 10

const draft = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/
const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

const schemaKeywords = ['$schema', 'title', 'description', 'type', 'properties', 'required', 'additionalProperties']
const propertyKeywords = ['type', 'title', 'description', 'enum', 'const', 'examples']
const textKeywords = ['format', 'minLength', 'maxLength', 'pattern']
const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** Checks the schema of a custom event type, which is text of a tenant: only these keywords, only scalar properties, bounded. */
export class SchemaCheck {
  readonly problems: FieldProblem[] = []

  constructor(schema: unknown) {
    if (!isJsonObject(schema)) this.#refuse('schema', 'WRONG_TYPE', 'must be a JSON Schema object')
    else if (JSON.stringify(schema).length > schemaCharactersMax)
      this.#refuse('schema', 'TOO_LONG', `must have at most ${schemaCharactersMax} characters as JSON`)
    else this.#schema(schema)
  }

  #refuse(path: string, code: string, reason: string): void {
    this.problems.push({ path, code, message: `${path} ${reason}.` })
  }

  #keywords(given: Json, allowed: readonly string[], path: string): void {
    for (const keyword of Object.keys(given)) {
      if (allowed.includes(keyword)) continue
      this.#refuse(`${path}.${keyword}`, 'UNKNOWN_FIELD', `is not allowed; allowed are ${allowed.join(', ')}`)
    }
  }

  #texts(given: Json, path: string): void {
    for (const keyword of ['title', 'description']) {
      const text = given[keyword]
      if (text === undefined || (typeof text === 'string' && text.length <= textMax && isStorable(text))) continue
      this.#refuse(`${path}.${keyword}`, 'WRONG_VALUE', `must be text of at most ${textMax} characters`)
    }
  }

  #schema(schema: Json): void {
    this.#keywords(schema, schemaKeywords, 'schema')
    this.#texts(schema, 'schema')
    const { $schema, type, properties, required, additionalProperties } = schema
    if ($schema !== undefined && !(typeof $schema === 'string' && draft.test($schema)))
      this.#refuse('schema.$schema', 'NOT_ALLOWED', 'must be http://json-schema.org/draft-07/schema#')
    if (type !== 'object') this.#refuse('schema.type', 'NOT_ALLOWED', 'must be "object"')
    if (additionalProperties !== undefined && additionalProperties !== false)
      this.#refuse('schema.additionalProperties', 'NOT_ALLOWED', 'must be false or absent')
    if (!isJsonObject(properties)) return this.#refuse('schema.properties', 'REQUIRED', 'must be an object')
    const names = Object.keys(properties)
    if (names.length === 0 || names.length > propertiesMax)
      return this.#refuse('schema.properties', 'TOO_MANY', `must have between 1 and ${propertiesMax} properties`)
    if (required !== undefined) {
      const isList = Array.isArray(required) && new Set(required).size === required.length
      if (!isList || !required.every((name) => names.includes(name as string)))
        this.#refuse('schema.required', 'WRONG_VALUE', 'must be a list of different names of properties')
    }
    const patterns = names.filter((name) => isJsonObject(properties[name]) && 'pattern' in properties[name])
    if (patterns.length > patternsMax)
      return this.#refuse('schema.properties', 'TOO_MANY', `must have at most ${patternsMax} properties with a pattern`)
    for (const name of names) this.#property(name, properties[name])
  }

  #property(name: string, given: unknown): void {
    const path = `schema.properties.${name}`
    if (!propertyName.test(name) || name === '__proto__')
      return this.#refuse(path, 'WRONG_FORMAT', 'must be named by a letter or _, then at most 63 letters, digits and _')
    if (!isJsonObject(given)) return this.#refuse(path, 'WRONG_TYPE', 'must be a JSON Schema object')
    const before = this.problems.length
    const type = typeIn(given)
    if (!type) {
      const reason = 'must be string, integer, number or boolean, or a list of one of them and null'
      return this.#refuse(`${path}.type`, 'NOT_ALLOWED', reason)
    }
    const isNumber = type.type === 'integer' || type.type === 'number'
    const own = isNumber ? numberKeywords : type.type === 'string' ? textKeywords : []
    this.#keywords(given, [...propertyKeywords, ...own], path)
    this.#texts(given, path)
    this.#bounds(given, path)
    if (this.problems.length === before) this.#values(given, path)
  }

  #bounds(given: Json, path: string): void {
    for (const keyword of ['minLength', 'maxLength']) {
      const value = given[keyword]
      if (value === undefined || (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= lengthMax))
        continue
      this.#refuse(`${path}.${keyword}`, 'OUT_OF_RANGE', `must be an integer between 0 and ${lengthMax}`)
    }
    for (const keyword of numberKeywords) {
      if (given[keyword] === undefined || isExactNumber(given[keyword])) continue
      this.#refuse(`${path}.${keyword}`, 'WRONG_TYPE', 'must be a number')
    }
    const { format, pattern } = given
    if (format !== undefined && !formats.some((known) => known === format))
      this.#refuse(`${path}.format`, 'NOT_ALLOWED', `must be one of ${formats.join(', ')}`)
    if (pattern !== undefined) {
      const parsed = typeof pattern === 'string' ? parsePattern(pattern) : { reason: 'must be text' }
      if ('reason' in parsed) this.#refuse(`${path}.pattern`, 'WRONG_FORMAT', parsed.reason)
    }
  }

  /** `enum`, `const` and `examples` must be values that the property allows, and there must be a sample. */
  #values(given: Json, path: string): void {
    const { enum: members, examples } = given
    for (const [keyword, list, max] of [
      ['enum', members, enumMax],
      ['examples', examples, examplesMax],
    ] as const) {
      if (list === undefined || (Array.isArray(list) && list.length > 0 && list.length <= max)) continue
      return this.#refuse(`${path}.${keyword}`, 'WRONG_VALUE', `must be a list of between 1 and ${max} values`)
    }
    const { members: _members, ...plain } = ruleOf(given)
    for (const [index, member] of [...((members ?? []) as unknown[])].entries()) {
      const flaw = flawOf(plain, member)
      if (flaw) return this.#refuse(`${path}.enum.${index}`, flaw.code, flaw.reason)
    }
    const constant = given['const'] === undefined ? null : flawOf(plain, given['const'])
    if (constant) return this.#refuse(`${path}.const`, constant.code, constant.reason)
    const rule = ruleOf(given)
    for (const [index, example] of [...((examples ?? []) as unknown[])].entries()) {
      const flaw = flawOf(rule, example)
      if (flaw) return this.#refuse(`${path}.examples.${index}`, flaw.code, flaw.reason)
    }
    if (flawOf(rule, sampleValueOf(rule, given)))
      this.#refuse(
        `${path}.examples`,
        'REQUIRED',
        'must have a value that the property allows, because no sample can be derived',
      )
  }
}

function typeIn({ type }: Json): { readonly type: ScalarType; readonly isNullable: boolean } | null {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const isNullable = types.includes('null')
  const [scalar, ...others] = types.filter((each) => each !== 'null')
  const isScalar = scalarTypes.some((known) => known === scalar)
  if (!isScalar || others.length > 0 || types.length > (isNullable ? 2 : 1)) return null
  return { type: scalar as ScalarType, isNullable }
}

/** The rule of a property, whose schema has been checked. */
function ruleOf(given: Json): PropertyRule {
  const { format, minLength, maxLength, pattern, enum: members } = given
  const bounds = Object.fromEntries(
    numberKeywords.flatMap((keyword) =>
      given[keyword] === undefined ? [] : [[keyword, given[keyword] as ExactNumber]],
    ),
  )
  const constant = given['const'] as Scalar | undefined
  const allowed = constant === undefined ? (members as Scalar[] | undefined) : [constant]
  return {
    ...typeIn(given)!,
    ...(format !== undefined && { format: format as (typeof formats)[number] }),
    ...(minLength !== undefined && { minLength: minLength as number }),
    ...(maxLength !== undefined && { maxLength: maxLength as number }),
    ...(pattern !== undefined && { pattern: patternOf(pattern as string) }),
    ...(allowed !== undefined && { members: allowed }),
    ...bounds,
  }
}

/** A compiled schema. */
export class PayloadSchema {
  readonly #rules: ReadonlyMap<string, PropertyRule>
  readonly #required: readonly string[]

  constructor(schema: Json) {
    const properties = schema['properties'] as Readonly<Record<string, Json>>
    this.#rules = new Map(Object.entries(properties).map(([name, property]) => [name, ruleOf(property)]))
    this.#required = (schema['required'] ?? []) as readonly string[]
  }

  /** The problems of a payload, with paths such as `data.minutes`. */
  problemsOf(payload: Json): FieldProblem[] {
    const problems: FieldProblem[] = []
    const refuse = (name: string, code: string, reason: string): void => {
      problems.push({ path: `data.${name}`, code, message: `data.${name} ${reason}.` })
    }
    for (const name of this.#required)
      if (!Object.hasOwn(payload, name)) refuse(name, 'REQUIRED', 'is required by the schema of the event type')
    for (const [name, value] of Object.entries(payload)) {
      const rule = this.#rules.get(name)
      if (!rule) refuse(name, 'UNKNOWN_FIELD', 'is not a property of the schema of the event type')
      else {
        const flaw = flawOf(rule, value)
        if (flaw) refuse(name, flaw.code, flaw.reason)
      }
    }
    return problems
  }
}

/** The schema as the catalog shows it: a complete draft-07 schema that says what is enforced. */
export const publishedSchema = (apiName: string, description: string, schema: Json): Json => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: `custom.${apiName}`,
  description,
  ...schema,
  type: 'object',
  additionalProperties: false,
})

/** A payload that the schema allows, with every property. */
export function samplePayload(schema: Json): Json {
  const properties = schema['properties'] as Readonly<Record<string, Json>>
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, sampleValueOf(ruleOf(property), property)]),
  )
}
