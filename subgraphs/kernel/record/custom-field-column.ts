import type { Column, ColumnOptions, GraphQLTypeOf } from './column.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { DateTime, Decimal } from './scalars.ts'

export type CustomFieldKind = Extract<
  ColumnKind,
  'text' | 'enum' | 'money' | 'boolean' | 'timestamp' | 'date' | 'textList'
>

type Bounds = Pick<ColumnOptions, 'description' | 'max' | 'filled' | 'minimum' | 'maximum' | 'maxItems' | 'decimals'>

/** A custom field as an organization defined it. Plain data. */
export interface CustomFieldDefinition extends Bounds {
  /** The API name: the key in `customFields`. */
  readonly name: string
  readonly kind: CustomFieldKind
  /** The values that a field of the kind `enum` may have. */
  readonly members?: readonly string[]
  /** Whether `search` looks into it; text only. */
  readonly searchable?: boolean
}

/** The column of records that holds the values of all custom fields. */
export const customFieldsName = 'customFields'
const container = 'custom_fields'
const prefix = `${customFieldsName}.`

/** The name of the column of a custom field: `customFields.<key>`. */
export const customFieldName = (key: string): string => prefix + key

/** The key of `customFields.<key>`; null for every other name of a field. */
export const customFieldKey = (name: string): string | null =>
  name.startsWith(prefix) ? name.slice(prefix.length) : null

const apiName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Text as a string constant in SQL. */
export const sqlLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * The value of a key as the type of its kind. A value of another type, stored before the field was defined, reads as no
 * value; it never makes a statement fail.
 */
const typedSql: Readonly<Record<CustomFieldKind, (json: string, text: string) => string>> = {
  text: (json, text) => `case when jsonb_typeof(${json}) = 'string' then ${text} end`,
  enum: (json, text) => `case when jsonb_typeof(${json}) = 'string' then ${text} end`,
  money: (json) => `case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`,
  boolean: (json) => `case when jsonb_typeof(${json}) = 'boolean' then (${json})::boolean end`,
  timestamp: (json) => `kernel.timestamp_of(${json})`,
  date: (json) => `kernel.date_of(${json})`,
  textList: (json) => `kernel.text_list_of(${json})`,
}

function typeOf({ kind, members = [] }: CustomFieldDefinition): GraphQLTypeOf {
  switch (kind) {
    case 'enum':
      return Object.fromEntries(members.map((member) => [member, member]))
    case 'money':
      return Decimal
    case 'boolean':
      return Boolean
    case 'timestamp':
      return DateTime
    case 'textList':
      return [String]
    default:
      return String
  }
}

/** A custom field as a column: a key of `custom_fields` that is read, compared, ordered and checked as a column of its kind. */
export function customField(definition: CustomFieldDefinition): Column {
  const { name, kind, members: _members, searchable: _searchable, ...bounds } = definition
  if (!apiName.test(name) || name === '__proto__') throw new Error(`${name} cannot be the name of a custom field.`)
  const key = sqlLiteral(name)
  const { parse } = columnKinds[kind]
  return {
    ...bounds,
    name: customFieldName(name),
    column: container,
    key: name,
    kind,
    type: typeOf(definition),
    // An absent list reads as an empty one.
    nullable: kind !== 'textList',
    derivedFrom: [customFieldsName],
    sql(alias) {
      const values = `${alias}.${container}`
      const sql = typedSql[kind](`${values} -> ${key}`, `${values} ->> ${key}`)
      return `(${sql})`
    },
    stored: (value) => parse(value) ?? value,
  }
}

/** Whether the value is one of an enumeration's. */
export const isMember = ({ type }: Column, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(type, value)

const inWords: Partial<Record<ColumnKind, string>> = {
  text: 'text',
  money: 'a number',
  boolean: 'true or false',
  timestamp: 'an ISO 8601 date and time',
  date: 'an ISO 8601 date',
  textList: 'a list of text',
}

/** What a custom field takes, for the message of a refusal. */
export const valueInWords = ({ kind, type }: Column): string =>
  inWords[kind] ?? `one of ${Object.keys(type).join(', ')}`
