import { typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import { freshPrefix } from './valid-values.ts'

/** A boundary value of a schema, and the value that is read back. */
export interface EdgeValue {
  readonly what: string
  readonly json: string
  readonly read: unknown
}

const plain = (value: unknown, what = JSON.stringify(value).slice(0, 40)): EdgeValue => ({
  what,
  json: JSON.stringify(value),
  read: value,
})

/** What a date without a time means in such a field depends on the time zone of the organization. */
const isDayOfOrganization = ({ description }: Schema): boolean =>
  typeof description === 'string' && description.includes('A date without a time')

function edgeTexts(schema: Schema): EdgeValue[] {
  const { maxLength, format, pattern, enum: members } = schema
  if (members) return members.map((member) => plain(member))
  if (format === 'date-time') {
    const day = { what: 'a day', json: '"2028-02-29"', read: '2028-02-29T00:00:00.000Z' }
    return [
      ...(isDayOfOrganization(schema) ? [] : [day]),
      { what: 'another offset', json: '"2027-01-01T00:30:00+02:00"', read: '2026-12-31T22:30:00.000Z' },
      { what: 'another offset, long ago', json: '"1969-07-20T15:17:40-05:00"', read: '1969-07-20T20:17:40.000Z' },
      { what: 'the first day', json: '"0001-01-01T00:00:00Z"', read: '0001-01-01T00:00:00.000Z' },
      { what: 'the last second', json: '"9999-12-31T23:59:59.999Z"', read: '9999-12-31T23:59:59.999Z' },
      { what: 'small letters', json: '"2027-01-01t00:00:00z"', read: '2027-01-01T00:00:00.000Z' },
    ]
  }
  if (format !== undefined || (pattern !== undefined && pattern !== String.raw`\S`) || maxLength === undefined)
    return []
  const filled = (character: string): EdgeValue => {
    const prefix = freshPrefix()
    return plain(prefix + character.repeat(maxLength - prefix.length), `${maxLength} characters of ${character}`)
  }
  const odd = ['%', '_', '\\', "'; drop table account; --", '\u202e', '{{7*7}}', '<script>', '\ufeffx', '$1', '\u0001']
  return [
    filled('a'),
    filled('😀'),
    filled('é'),
    ...odd.map((text) => plain(`${freshPrefix()}${text}`.slice(0, maxLength))),
  ]
}

function edgeNumbers({ minimum, maximum, ...schema }: Schema & { minimum?: number; maximum?: number }): EdgeValue[] {
  const isWhole = !typesOf(schema as Schema).includes('number')
  const isIn = (value: number): boolean => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)
  const edges = [minimum, maximum, 0, ...(isWhole ? [] : [0.1, 1e-7, 12.34, 99.999])].filter(
    (value) => value !== undefined,
  )
  const values = edges.filter(isIn).map((value) => plain(value))
  return isIn(0)
    ? [...values, { what: 'minus zero', json: '-0', read: 0 }, { what: 'zero in powers', json: '0e10', read: 0 }]
    : values
}

/** Boundary values that this schema must accept and return. */
export function edgeValues(schema: Schema): EdgeValue[] {
  const types = typesOf(schema)
  const edges: EdgeValue[] = types.includes('null') ? [plain(null)] : []
  if (types.includes('string')) edges.push(...edgeTexts(schema))
  if (types.includes('integer') || types.includes('number')) edges.push(...edgeNumbers(schema))
  if (types.includes('boolean')) edges.push(plain(true), plain(false))
  if (types.includes('array') && schema.items && typesOf(schema.items).includes('string') && !schema.items.format) {
    const { maxItems = 100 } = schema as { maxItems?: number }
    const longest = '😀'.repeat(schema.items.maxLength ?? 1)
    edges.push(
      plain([]),
      plain(Array.from({ length: maxItems }, (_, index) => `${index}`)),
      plain([longest], 'the longest item'),
    )
  }
  return edges
}
