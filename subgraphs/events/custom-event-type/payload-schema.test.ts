import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { PayloadSchema, publishedSchema, samplePayload, SchemaCheck } from './payload-schema.ts'

const problemsOf = (schema: unknown): string[] =>
  new SchemaCheck(schema).problems.map(({ path, code }) => `${path} ${code}`)

const withProperty = (property: unknown, more: object = {}) => ({
  type: 'object',
  properties: { a: property },
  ...more,
})

describe('the schema of a custom event type', () => {
  it.each([
    [{ type: 'string' }],
    [{ type: ['integer', 'null'], minimum: -5, maximum: 5, title: 'A', description: 'B' }],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    [{ type: 'integer', minimum: 1000 }],
    [{ type: 'string', minLength: 10, maxLength: 12 }],
    [{ type: 'string', maxLength: 2 }],
    [{ type: 'string', format: 'date-time' }],
    [{ type: 'string', pattern: '^[a-z]+$', examples: ['abc'] }],
    [{ type: 'string', enum: ['A', 'B'] }],
    [{ type: ['string', 'null'], enum: [null, 'B'] }],
    [{ type: 'boolean', const: false }],
  ])('may have the property %j, and its sample is valid', (property) => {
    const schema = withProperty(property, {
      $schema: 'http://json-schema.org/draft-07/schema#',
      required: ['a'],
      additionalProperties: false,
    })
    expect(problemsOf(schema)).toEqual([])
    const ajv = new Ajv({ strict: true, allowUnionTypes: true })
    addFormats.default(ajv)
    const sample = samplePayload(schema)
    expect(ajv.validate(publishedSchema('x', 'X', schema), sample), JSON.stringify(sample)).toBe(true)
    expect(new PayloadSchema(schema).problemsOf(sample)).toEqual([])
  })

  it.each<[unknown, string]>([
    [null, 'schema WRONG_TYPE'],
    [[], 'schema WRONG_TYPE'],
    [{ properties: { a: { type: 'string' } } }, 'schema.type NOT_ALLOWED'],
    [{ type: 'object' }, 'schema.properties REQUIRED'],
    [{ type: 'object', properties: {} }, 'schema.properties TOO_MANY'],
    [withProperty({ type: 'string' }, { $ref: '#' }), 'schema.$ref UNKNOWN_FIELD'],
    [withProperty({ type: 'string' }, { $schema: 'http://evil.example/schema' }), 'schema.$schema NOT_ALLOWED'],
    [withProperty({ type: 'string' }, { additionalProperties: true }), 'schema.additionalProperties NOT_ALLOWED'],
    [withProperty({ type: 'string' }, { patternProperties: {} }), 'schema.patternProperties UNKNOWN_FIELD'],
    [withProperty({ type: 'string' }, { required: ['b'] }), 'schema.required WRONG_VALUE'],
    [withProperty({ type: 'string' }, { required: ['a', 'a'] }), 'schema.required WRONG_VALUE'],
    [withProperty({ type: 'string' }, { title: 'x'.repeat(1001) }), 'schema.title WRONG_VALUE'],
    [withProperty('string'), 'schema.properties.a WRONG_TYPE'],
    [withProperty({ type: 'object' }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: 'array' }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: ['string', 'integer'] }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: ['string', 'null', 'null'] }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: 'null' }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: 'toString' }), 'schema.properties.a.type NOT_ALLOWED'],
    [withProperty({ type: 'string', $ref: 'file:///etc/passwd' }), 'schema.properties.a.$ref UNKNOWN_FIELD'],
    [withProperty({ type: 'string', minimum: 1 }), 'schema.properties.a.minimum UNKNOWN_FIELD'],
    [withProperty({ type: 'integer', maxLength: 1 }), 'schema.properties.a.maxLength UNKNOWN_FIELD'],
    [withProperty({ type: 'string', allOf: [] }), 'schema.properties.a.allOf UNKNOWN_FIELD'],
    [withProperty({ type: 'string', maxLength: 10_001 }), 'schema.properties.a.maxLength OUT_OF_RANGE'],
    [withProperty({ type: 'string', minLength: -1 }), 'schema.properties.a.minLength OUT_OF_RANGE'],
    [withProperty({ type: 'number', minimum: '1' }), 'schema.properties.a.minimum WRONG_TYPE'],
    [withProperty({ type: 'string', format: 'hostname' }), 'schema.properties.a.format NOT_ALLOWED'],
    [withProperty({ type: 'string', pattern: '(a+)+(?=b)' }), 'schema.properties.a.pattern WRONG_FORMAT'],
    [withProperty({ type: 'string', pattern: 'a{1000}b{1000}' }), 'schema.properties.a.pattern WRONG_FORMAT'],
    [withProperty({ type: 'string', pattern: 1 }), 'schema.properties.a.pattern WRONG_FORMAT'],
    [withProperty({ type: 'string', pattern: '^x$' }), 'schema.properties.a.examples REQUIRED'],
    [withProperty({ type: 'string', enum: [] }), 'schema.properties.a.enum WRONG_VALUE'],
    [withProperty({ type: 'string', enum: ['A', 1] }), 'schema.properties.a.enum.1 WRONG_TYPE'],
    [
      withProperty({ type: 'string', enum: Array.from({ length: 101 }, String) }),
      'schema.properties.a.enum WRONG_VALUE',
    ],
    [withProperty({ type: 'integer', const: 1.5 }), 'schema.properties.a.const WRONG_TYPE'],
    [withProperty({ type: 'integer', examples: ['x'] }), 'schema.properties.a.examples.0 WRONG_TYPE'],
    [withProperty({ type: 'integer', minimum: 5, maximum: 4 }), 'schema.properties.a.examples REQUIRED'],
    [{ type: 'object', properties: { 'a b': { type: 'string' } } }, 'schema.properties.a b WRONG_FORMAT'],
    [
      { type: 'object', properties: JSON.parse('{"__proto__": {"type": "string"}}') as object },
      'schema.properties.__proto__ WRONG_FORMAT',
    ],
    [
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, { type: 'string' }])),
      },
      'schema.properties TOO_MANY',
    ],
    [
      withProperty({ type: 'string', enum: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(1000, 'x')) }),
      'schema TOO_LONG',
    ],
  ])('refuses %j', (schema, problem) => {
    expect(problemsOf(schema)).toEqual([problem])
  })

  it('is checked like the published JSON Schema', () => {
    const schema = {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 4 },
        count: { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 10 },
        at: { type: 'string', format: 'date-time' },
        id: { type: 'string', format: 'uuid' },
        day: { type: 'string', format: 'date' },
        kind: { type: 'string', enum: ['A', 'B'] },
        flag: { type: 'boolean' },
      },
    }
    const ajv = new Ajv({ strict: true, allowUnionTypes: true })
    addFormats.default(ajv)
    const validate = ajv.compile(publishedSchema('x', 'X', schema))
    const own = new PayloadSchema(schema)
    const values: Record<string, unknown[]> = {
      text: ['ab', 'a', 'abcde', '😀😀', '😀', 5, null],
      count: [0, 9, 10, -1, 1.5, null, '1', 1e300],
      at: ['2026-01-01T00:00:00Z', '2026-01-01', '2026-13-01T00:00:00Z', 'x', '2026-01-01T25:00:00Z'],
      id: ['019a0c5e-7f00-7a93-b1c4-0e6d28f75a41', 'x', ''],
      day: ['2026-02-28', '2026-02-29', '2026-1-1'],
      kind: ['A', 'C', null],
      flag: [true, 'true', 1],
      other: [1],
    }
    for (const [name, list] of Object.entries(values)) {
      for (const value of list) {
        const payload = name === 'text' ? { text: value } : { text: 'ab', [name]: value }
        expect(own.problemsOf(payload).length === 0, JSON.stringify(payload)).toBe(validate(payload))
      }
    }
    expect(own.problemsOf({}).length === 0).toBe(validate({}))
  })
})
