import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { JsonSchema } from './column-schema.ts'

// The package is CommonJS; patterns of our schemas are linear.
const ajv = new Ajv({ allErrors: false, strict: false, unicodeRegExp: true })
ajv.addFormat('uri', {
  type: 'string',
  validate: (text: string) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text),
})

const codes: Readonly<Record<string, string>> = {
  type: 'WRONG_TYPE',
  anyOf: 'WRONG_TYPE',
  enum: 'NOT_ALLOWED',
  const: 'NOT_ALLOWED',
  pattern: 'WRONG_FORMAT',
  format: 'WRONG_FORMAT',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  minimum: 'OUT_OF_RANGE',
  maximum: 'OUT_OF_RANGE',
  minItems: 'TOO_FEW',
  maxItems: 'TOO_MANY',
  minProperties: 'TOO_FEW',
  maxProperties: 'TOO_MANY',
  uniqueItems: 'NOT_UNIQUE',
  propertyNames: 'WRONG_FORMAT',
}

const shownLength = 64

/** A path as those of other refusals: `fields.0.name`. */
const dotted = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const required = (path: string): FieldProblem => ({ path, code: 'REQUIRED', message: `${path} is required.` })
const unknown = (path: string, known: readonly string[]): FieldProblem => ({
  path,
  code: 'UNKNOWN_FIELD',
  message: `${path} is no property of the format; allowed are ${known.join(', ')}.`,
})

function problemOf({ keyword, instancePath, params, message, parentSchema }: ErrorObject): FieldProblem {
  const path = dotted(instancePath)
  const { additionalProperty, missingProperty, allowedValues } = params as {
    readonly additionalProperty?: string
    readonly missingProperty?: string
    readonly allowedValues?: readonly unknown[]
  }
  if (additionalProperty !== undefined) {
    const known = Object.keys((parentSchema?.['properties'] ?? {}) as object)
    return unknown(joined(path, additionalProperty.slice(0, shownLength)), known)
  }
  if (missingProperty !== undefined) return required(joined(path, missingProperty))
  const values = allowedValues?.filter((value) => typeof value === 'string').join(', ')
  const reason = values ? `must be one of ${values}` : (message ?? 'has a wrong value')
  return { path, code: codes[keyword] ?? 'WRONG_VALUE', message: `${path} ${reason}.` }
}

interface Described {
  readonly title: string
  readonly description: string
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** The first problem of a value by a schema, at the path of the value. */
export class ValueSchema {
  readonly #validate: ValidateFunction

  constructor(
    private readonly path: string,
    schema: JsonSchema,
  ) {
    this.#validate = ajv.compile({ type: 'object', properties: { [path]: schema } })
  }

  problems(value: unknown): FieldProblem[] {
    return this.#validate({ [this.path]: value }) ? [] : [problemOf(this.#validate.errors![0]!)]
  }
}

/** The JSON Schema of one kind of file, which refuses properties that it does not name. */
export class FileSchema {
  readonly schema: JsonSchema
  readonly #properties: Readonly<Record<string, JsonSchema>>
  readonly #required: readonly string[]
  readonly #validators = new Map<string, ValueSchema>()

  constructor({ title, description, properties, required: names = [] }: Described) {
    const $schema = { type: 'string', description: 'The address of this schema, for editors. It has no effect.' }
    this.#properties = { $schema, ...properties }
    this.#required = names
    this.schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title,
      description,
      type: 'object',
      properties: this.#properties,
      required: names,
      additionalProperties: false,
    }
  }

  /** The names of the properties, in their order in a file. */
  get names(): readonly string[] {
    return Object.keys(this.#properties).filter((name) => name !== '$schema')
  }

  /** The first problem of each property, so that their number is bounded. */
  problems(content: unknown): FieldProblem[] {
    if (!isJsonObject(content))
      return [{ path: '', code: 'WRONG_TYPE', message: 'The file must contain one JSON object.' }]
    const given = Object.keys(content)
    const extra = given.filter((name) => !Object.hasOwn(this.#properties, name))
    return [
      ...extra.slice(0, 20).map((name) => unknown(name.slice(0, shownLength), this.names)),
      ...this.#required.filter((name) => !Object.hasOwn(content, name)).map(required),
      ...given.flatMap((name) => (Object.hasOwn(this.#properties, name) ? this.#ofProperty(name, content[name]) : [])),
    ]
  }

  #ofProperty(name: string, value: unknown): FieldProblem[] {
    let schema = this.#validators.get(name)
    if (!schema) this.#validators.set(name, (schema = new ValueSchema(name, this.#properties[name]!)))
    return schema.problems(value)
  }
}
