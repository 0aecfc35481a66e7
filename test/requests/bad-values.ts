import { typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import { allows, isFreeForm } from './schema.ts'

/** JSON text that a schema does not allow, and the expected refusal. */
export interface BadValue {
  readonly what: string
  readonly json: string
  readonly code: string
  /** Path of the problem below the field. */
  readonly below?: string
}

const samples: readonly (readonly [type: string, json: string])[] = [
  ['string', '"text"'],
  ['number', '1'],
  ['number', '1.5'],
  ['number', '-1e-7'],
  ['boolean', 'true'],
  ['object', '{}'],
  ['object', '{"length":1}'],
  ['array', '[]'],
  ['array', '[[]]'],
  ['null', 'null'],
]

function wrongTypes(schema: Schema): BadValue[] {
  const isNumber = allows(schema, 'number')
  const isWhole = (json: string): boolean => allows(schema, 'integer') && Number.isInteger(Number(json))
  const isAllowed = (type: string, json: string): boolean =>
    type === 'number' ? isNumber || isWhole(json) : allows(schema, type)
  return samples
    .filter(([type, json]) => !isAllowed(type, json))
    .map(([, json]) => ({ what: `${json} in the place of ${typesOf(schema).join(' or ')}`, json, code: 'WRONG_TYPE' }))
}

const quoted = (text: string): string => JSON.stringify(text)

function badText(schema: Schema): BadValue[] {
  const { maxLength, minLength = 0, format, pattern, enum: members } = schema
  const bad: BadValue[] = [
    { what: 'NUL', json: String.raw`"a\u0000b"`, code: 'NOT_TEXT' },
    { what: 'the first half of a surrogate pair', json: String.raw`"a\ud800"`, code: 'NOT_TEXT' },
    { what: 'the second half of a surrogate pair', json: String.raw`"\udc00b"`, code: 'NOT_TEXT' },
  ]
  const refuseEach = (code: string, texts: readonly string[]): void =>
    void bad.push(...texts.map((text) => ({ what: quoted(text), json: quoted(text), code })))
  if (maxLength !== undefined) {
    // A text of megabytes would be too large a body with longer characters.
    for (const character of maxLength > 1_000_000 ? ['a'] : ['a', '😀', 'é']) {
      const json = quoted(character.repeat(maxLength + 1))
      bad.push({ what: `${maxLength + 1} times ${character}`, json, code: 'TOO_LONG' })
    }
  }
  if (minLength > 0) bad.push({ what: 'nothing', json: '""', code: 'TOO_SHORT' })
  if (pattern === String.raw`\S`) refuseEach('WRONG_FORMAT', [' ', '\t\n ', '\u00a0'])
  else if (pattern !== undefined)
    refuseEach('WRONG_FORMAT', ['#', 'a\nb', ...(allows(schema, 'number') ? notNumbers : [])])
  if (format === 'uuid') refuseEach('WRONG_FORMAT', notIds)
  if (format === 'date-time') refuseEach('WRONG_FORMAT', notDates)
  if (format === 'email')
    refuseEach('NOT_AN_EMAIL', [
      ...(minLength > 0 ? [] : ['']),
      'ann',
      'ann@',
      '@example.com',
      'ann lee@example.com',
      'ann@example.com\n',
    ])
  if (members)
    refuseEach('NOT_ALLOWED', ['', 'NOPE', 'constructor', '__proto__', `${members[0]} `, quoted(String(members[0]))])
  return bad
}

const notNumbers = ['NaN', 'Infinity', '0x10', '1_000', '1,5', '+1', '.5', '1.', '01', '1 ', '１']

export const notIds = [
  '',
  '1',
  'nothing',
  'null',
  '00000000-0000-0000-0000-000000000000',
  '0199d1a0-0000-7000-8000-00000000000',
  '0199d1a0-0000-7000-8000-0000000000000',
  '{0199d1a0-0000-7000-8000-000000000000}',
  '0199d1a0-0000-7000-8000-00000000000g',
  '0199d1a0-0000-7000-8000-000000000000\n',
  "' or 1=1 --",
  '😀'.repeat(18),
]

export const notDates = [
  '',
  'now',
  'tomorrow',
  '0',
  '1767225600',
  '2027-02-30',
  '2027-02-29T00:00:00Z',
  '2100-02-29',
  '2027-13-01T00:00:00Z',
  '2027-00-10',
  '2027-01-00',
  '2027-04-31T10:00:00+02:00',
  '2027-01-01T25:00:00Z',
  '2027-01-01T10:60:00Z',
  '2027-01-01T10:00:61Z',
  '2027-01-01T10:00:00+99:00',
  '0000-01-01',
  '0000-12-31T23:59:59Z',
  '10000-01-01T00:00:00Z',
  '+012027-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '27-01-01',
  '01/02/2027',
  '2027-W01',
  '2027-01-01 10:00',
  '2027-01-01T10:00:00Z; drop table account',
  'infinity',
]

function badNumber(schema: Schema): BadValue[] {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
  const step = allows(schema, 'number') ? 0.5 : 1
  const bad: BadValue[] = [
    { what: 'a number beyond all numbers', json: '1e400', code: 'OUT_OF_RANGE' },
    { what: 'a number below all numbers', json: '-1e400', code: 'OUT_OF_RANGE' },
  ]
  if (!allows(schema, 'string')) {
    bad.push({ what: 'NaN as text', json: '"NaN"', code: 'WRONG_TYPE' })
    bad.push({ what: 'a number as text', json: '"1"', code: 'WRONG_TYPE' })
  }
  if (minimum !== undefined)
    bad.push({ what: 'less than the minimum', json: String(minimum - step), code: 'OUT_OF_RANGE' })
  if (maximum !== undefined)
    bad.push({ what: 'more than the maximum', json: String(maximum + step), code: 'OUT_OF_RANGE' })
  if (maximum !== undefined) bad.push({ what: '1e300', json: '1e300', code: 'OUT_OF_RANGE' })
  return bad
}

const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)

function badObject(schema: Schema): BadValue[] {
  if (!isFreeForm(schema)) return []
  const bad: BadValue[] = [
    { what: '__proto__', json: '{"__proto__":{"isAdmin":true}}', code: 'UNKNOWN_FIELD', below: '__proto__' },
    { what: '__proto__ further down', json: '{"a":[{"__proto__":1}]}', code: 'UNKNOWN_FIELD', below: 'a.0.__proto__' },
    { what: 'NUL in a key', json: String.raw`{"a\u0000":1}`, code: 'NOT_TEXT' },
    { what: 'NUL in a value', json: String.raw`{"a":"\u0000"}`, code: 'NOT_TEXT', below: 'a' },
    { what: 'half of a surrogate pair in a list', json: String.raw`{"a":["\udfff"]}`, code: 'NOT_TEXT', below: 'a.0' },
    { what: 'endless nesting', json: nested(10_000), code: 'TOO_DEEP', below: '*' },
  ]
  const { maxProperties } = schema as { maxProperties?: number }
  if (maxProperties !== undefined) {
    const members = Array.from({ length: maxProperties + 1 }, (_, index) => [`k${index}`, String(index)])
    bad.push({ what: 'too many members', json: JSON.stringify(Object.fromEntries(members)), code: 'TOO_MANY' })
  }
  return bad
}

/** A large item is shortened to its id, so that the list is not refused for its size. A list whose valid sample is empty has texts. */
const smallItem = (item: unknown = 'x'): unknown =>
  JSON.stringify(item).length < 500 ? item : { id: (item as { id?: unknown }).id }

function badList(schema: Schema, item: unknown): BadValue[] {
  const { maxItems, minItems = 0 } = schema as { maxItems?: number; minItems?: number }
  const bad: BadValue[] = []
  if (maxItems !== undefined) {
    const json = JSON.stringify(Array.from({ length: maxItems + 1 }, () => smallItem(item)))
    bad.push({ what: `${maxItems + 1} items`, json, code: 'TOO_MANY' })
  }
  if (minItems > 0) bad.push({ what: 'no items', json: '[]', code: 'TOO_FEW' })
  return bad
}

/** Every kind of value that this schema must refuse. `item` is a valid item of a list. */
export function badValues(schema: Schema, item: unknown): BadValue[] {
  const types = typesOf(schema)
  return [
    ...wrongTypes(schema).filter(({ json }) => !(schema['minItems'] && json === '[]')),
    ...(types.includes('string') ? badText(schema) : []),
    // Free-form values accept text and any number.
    ...(['integer', 'number'].some((type) => types.includes(type)) && !isFreeForm(schema) ? badNumber(schema) : []),
    ...(types.includes('object') ? badObject(schema) : []),
    ...(types.includes('array') ? badList(schema, item) : []),
  ]
}
