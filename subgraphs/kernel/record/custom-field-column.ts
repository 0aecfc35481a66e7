import { ID } from 'type-graphql'
import { emailLengthMax, parseEmail } from '../values/email-address.ts'
import { parsePattern } from '../values/pattern.ts'
import { enumerationOf, type Column, type ColumnOptions, type GraphQLTypeOf } from './column.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import type { BlankAs, FormulaReturnType } from '../formula/compile.ts'
import type { CustomFieldFormat, CustomFieldRules, Dependency } from './custom-field-rules.ts'
import type { RollupDefinition } from './rollup/rollup-definition.ts'
import type { Lookup } from './lookup/lookup.ts'
import { DateTime, Decimal } from './scalars.ts'
import { valueKinds, type UniqueForm, type ValueIndex } from './value-index/value-column.ts'

export type CustomFieldKind = Extract<
  ColumnKind,
  'text' | 'enum' | 'money' | 'boolean' | 'timestamp' | 'date' | 'textList' | 'id'
>

type Bounds = Pick<ColumnOptions, 'description' | 'max' | 'filled' | 'minimum' | 'maximum' | 'maxItems' | 'decimals'>

/** How the value of a custom field follows from other fields. Plain data. */
export interface FormulaDefinition {
  readonly expression: string
  readonly returnType: FormulaReturnType
  /** Of a number. */
  readonly decimals?: number
  readonly blankAs: BlankAs
  /** Every record has the value of this definition under its key, if it is that of its own fields. Until then, reads compute it. */
  readonly isStored?: boolean
}

/** The definition of a custom field by an organization. Plain data. */
export interface CustomFieldDefinition extends Bounds {
  /** The API name: the key in `customFields`. */
  readonly name: string
  readonly kind: CustomFieldKind
  readonly label?: string
  /** The values of a field of the kind `enum`, and of the items of a `textList` with given values. */
  readonly members?: readonly string[]
  /** Those members that a record may keep, but that none can get. */
  readonly retired?: readonly string[]
  /** Whether `search` includes this field; only for the kind `text`. */
  readonly searchable?: boolean
  readonly format?: CustomFieldFormat
  /** A regular expression that the text must contain a match of. */
  readonly pattern?: string | null
  /** A new record must have a value, and no change takes it away. */
  readonly isRequired?: boolean
  /** The values are indexed, or will be when the rows of older records are there. */
  readonly index?: { readonly isUnique: boolean; readonly isReady: boolean }
  /** The value of a new record when none is given. Of a boolean also that of records without a value. */
  readonly default?: unknown
  readonly dependsOn?: Dependency | null
  /** The kind is that of its result. */
  readonly formula?: FormulaDefinition
  /** How the value follows from other records; the kind is that of the result. */
  readonly rollup?: RollupDefinition
  /** Changes keep the values that they replace (`derived/field-history.ts`). */
  readonly hasHistory?: boolean
  /** The values are ids of records of this type; only for the kind `id`. */
  readonly lookup?: Lookup
  /** Former values that writes may still send, with the values that they mean. */
  readonly aliases?: Readonly<Record<string, string>>
  /** What the field is being changed to: written values must fit it as well. */
  readonly also?: CustomFieldDefinition
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

/** Maximum number of characters of an API name. */
export const customFieldKeyMax = 64
const apiName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Quotes text as an SQL string literal. */
export const sqlLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

const idPattern = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/**
 * SQL that converts the value of a key to the PostgreSQL type of its kind. A value of another type, stored before the field was
 * defined, becomes null (an empty list for `textList`), so it never makes a statement fail.
 */
export const typedSql: Readonly<Record<CustomFieldKind, (json: string, text: string) => string>> = {
  text: (json, text) => `case when jsonb_typeof(${json}) = 'string' then ${text} end`,
  enum: (json, text) => `case when jsonb_typeof(${json}) = 'string' then ${text} end`,
  money: (json) => `case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`,
  boolean: (json) => `case when jsonb_typeof(${json}) = 'boolean' then (${json})::boolean end`,
  timestamp: (json) => `kernel.timestamp_of(${json})`,
  date: (json) => `kernel.date_of(${json})`,
  textList: (json) => `kernel.text_list_of(${json})`,
  id: (json, text) =>
    `case when jsonb_typeof(${json}) = 'string' and ${text} ~ '^${idPattern}$' then (${text})::uuid end`,
}

/** A record keeps the single value of a field that has become a list of given values until it is rewritten. */
const textListOfOne = (json: string): string =>
  `case when jsonb_typeof(${json}) = 'string' then array[${json} #>> '{}'] else ${typedSql.textList(json, '')} end`

const membersOf = (members: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(members.map((member) => [member, member]))

function typeOf({ kind, members }: CustomFieldDefinition): GraphQLTypeOf {
  switch (kind) {
    case 'enum':
      return membersOf(members ?? [])
    case 'money':
      return Decimal
    case 'boolean':
      return Boolean
    case 'id':
      return ID
    case 'timestamp':
      return DateTime
    case 'textList':
      return [members ? membersOf(members) : String] as GraphQLTypeOf
    default:
      return String
  }
}

function rulesOf({
  name,
  label = name,
  retired = [],
  format,
  pattern = null,
  isRequired = false,
  dependsOn = null,
  aliases = {},
}: CustomFieldDefinition): CustomFieldRules {
  const parsed = pattern === null ? null : parsePattern(pattern)
  // A definition whose pattern is not usable is refused; one that a later version no longer accepts checks nothing.
  const usable = parsed && !('reason' in parsed) ? parsed : null
  return {
    label,
    retired: new Set(retired),
    format: format ?? null,
    pattern: usable,
    isRequired,
    dependsOn,
    aliases: new Map<unknown, string>(Object.entries(aliases)),
  }
}

const uniqueForms: Readonly<Partial<Record<CustomFieldKind, UniqueForm>>> = { text: 'TEXT', money: 'NUMBER' }

function indexOf({ kind, format, index }: CustomFieldDefinition): { valueIndex?: ValueIndex } {
  const valueKind = valueKinds[kind]
  if (!index || !valueKind) return {}
  const form = format === 'PHONE' ? 'PHONE' : uniqueForms[kind]
  return { valueIndex: { kind: valueKind, isReady: index.isReady, unique: index.isUnique && form ? form : null } }
}

/** The column of a custom field. It is read, compared, ordered by and checked like a table column of its kind. */
export function customField(definition: CustomFieldDefinition): Column {
  const { name, kind, format, description, max, filled, minimum, maximum, maxItems, decimals } = definition
  if (!apiName.test(name) || name === '__proto__') throw new Error(`${name} cannot be the name of a custom field.`)
  const key = sqlLiteral(name)
  const { parse } = columnKinds[kind]
  const custom = rulesOf(definition)
  const isEmail = format === 'EMAIL'
  // A boolean always has a value.
  const absent = kind === 'boolean' && definition.default !== undefined ? String(definition.default === true) : null
  return {
    ...definedOnly({ description, max, filled, minimum, maximum, maxItems, decimals, default: definition.default }),
    ...(isEmail && { isEmail, isCanonical: true, max: emailLengthMax }),
    name: customFieldName(name),
    column: container,
    key: name,
    kind,
    type: typeOf(definition),
    // A missing list is read as an empty list.
    nullable: kind !== 'textList',
    derivedFrom: [customFieldsName],
    custom,
    ...(definition.also && { also: customField(definition.also) }),
    ...(definition.lookup && { lookup: definition.lookup }),
    ...indexOf(definition),
    sql(alias) {
      const values = `${alias}.${container}`
      const json = `${values} -> ${key}`
      const sql =
        kind === 'textList' && definition.members
          ? textListOfOne(`(${json})`)
          : typedSql[kind](json, `${values} ->> ${key}`)
      return absent === null ? `(${sql})` : `coalesce(${sql}, ${absent})`
    },
    stored: isEmail
      ? canonicalEmail
      : kind === 'id'
        ? lowerCase
        : definition.members && kind === 'textList'
          ? (value) => withoutRepetition(withoutAliases(custom, value))
          : (value) => parse(withoutAliases(custom, value)) ?? withoutAliases(custom, value),
  }
}

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)

const canonicalEmail = (value: unknown): unknown => (typeof value === 'string' ? (parseEmail(value) ?? value) : value)

/** The value that a written one means: that of its alias, or itself. */
export function withoutAliases({ aliases }: Pick<CustomFieldRules, 'aliases'>, value: unknown): unknown {
  if (aliases.size === 0) return value
  return Array.isArray(value) ? value.map((item) => aliases.get(item) ?? item) : (aliases.get(value) ?? value)
}

/** Several of the given values are a set. */
const withoutRepetition = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)] : value)

/** Null, an empty text or an empty list. */
export const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const definedOnly = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never

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
  id: 'the id of a record',
}

const listedMax = 30

/** Names in a sentence, the first ones of many: `HOT, COLD`. */
export const listed = (names: readonly string[]): string =>
  names.length > listedMax
    ? `${names.slice(0, listedMax).join(', ')} and ${names.length - listedMax} more`
    : names.join(', ')

/** The values that a record can get in the column; null when they are not listed. */
export function activeMembers(column: Column): readonly string[] | null {
  const members = enumerationOf(column)
  return members && Object.keys(members).filter((member) => !column.custom?.retired.has(member))
}

/** Describes the allowed values of a custom field, for error messages: `one of HOT, COLD`. */
export const valueDescription = (column: Column): string =>
  valueDescriptions[column.kind] ?? `one of ${listed(activeMembers(column) ?? [])}`
