import type { Column, ColumnOptions, GraphQLTypeOf } from './column.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { DateTime, Decimal } from './scalars.ts'

export type CustomFieldKind = Extract<
  ColumnKind,
  'text' | 'enum' | 'money' | 'boolean' | 'timestamp' | 'date' | 'textList'
>

type Bounds = Pick<ColumnOptions, 'description' | 'max' | 'filled' | 'minimum' | 'maximum' | 'maxItems' | 'decimals'>

/** The definition of a custom field by an organization. Plain data. */
export interface CustomFieldDefinition extends Bounds {
  /** The API name: the key in `customFields`. */
  readonly name: string
  readonly kind: CustomFieldKind
  /** The allowed values of a field of the kind `enum`. */
  readonly members?: readonly string[]
  /** Whether `search` includes this field; only for the kind `text`. */
  readonly searchable?: boolean
}

/** The column of a record that contains the values of all custom fields. */
export const customFieldsName = 'customFields'
const container = 'custom_fields'
const prefix = `${customFieldsName}.`

/** The name of the column of a custom field: `customFields.<key>`. */
export const customFieldName = (key: string): string => prefix + key

/** The key of `customFields.<key>`; null for every other column name. */
export const customFieldKey = (name: string): string | null =>
  name.startsWith(prefix) ? name.slice(prefix.length) : null

const apiName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Quotes text as an SQL string literal. */
export const sqlLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * SQL that converts the value of a key to the PostgreSQL type of its kind. A value of another type, stored before the field was
 * defined, becomes null (an empty list for `textList`), so it never makes a statement fail.
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

/** The column of a custom field. It is read, compared, ordered by and checked like a table column of its kind. */
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
    // A missing list is read as an empty list.
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

/** Whether the value is a member of the column's enumeration. */
export const isMember = ({ type }: Column, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(type, value)

const valueDescriptions: Partial<Record<ColumnKind, string>> = {
  text: 'text',
  money: 'a number',
  boolean: 'true or false',
  timestamp: 'an ISO 8601 date and time',
  date: 'an ISO 8601 date',
  textList: 'a list of text',
}

/** Describes the allowed values of a custom field, for error messages: `one of HOT, COLD`. */
export const valueDescription = ({ kind, type }: Column): string =>
  valueDescriptions[kind] ?? `one of ${Object.keys(type).join(', ')}`
