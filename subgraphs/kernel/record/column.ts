import { Property, PrimaryKey } from '@mikro-orm/decorators/legacy'
import type { GraphQLScalarType } from 'graphql'
import { Field, Float, ID, Int, registerEnumType, type FieldOptions } from 'type-graphql'
import type { Formula } from '../formula/formula.ts'
import type { DayMoment } from '../time/days.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import type { Lookup } from './lookup/lookup.ts'
import type { ValueIndex } from './value-index/value-column.ts'
import type { CustomFieldRules } from './custom-field-rules.ts'
import { DateTime, Decimal, Json } from './scalars.ts'
import type { CompiledRollup } from './rollup/rollup-definition.ts'
import { UserReference } from './user-reference.ts'

/** The members of an enumeration by their names. */
type Members = Readonly<Record<string, string>>

export type GraphQLTypeOf =
  typeof String | typeof Boolean | GraphQLScalarType | Members | readonly [typeof String] | readonly [Members]

/** The TypeScript type of a GraphQL type. The compiler compares it with the type of the decorated property. */
type ValueOf<G> = G extends StringConstructor
  ? string
  : G extends BooleanConstructor
    ? boolean
    : G extends GraphQLScalarType<infer Value, infer _External>
      ? Value
      : G extends readonly [infer Item]
        ? ValueOf<Item>[]
        : G extends Readonly<Record<string, infer Member>>
          ? Member
          : never

export interface ColumnOptions {
  nullable?: boolean
  /** What the value is, its unit, when it is null and what changes it. It is shown in GraphQL, REST and events, in inputs with the bounds. */
  description?: string
  /** Text: maximum length, in code points. */
  max?: number
  /**
   * Text, and each item of a list: an email address. What a client writes must be one, and upper and lower case and surrounding spaces make no
   * difference to the equality of filters and conditions.
   */
  isEmail?: boolean
  /** Email addresses that the platform stores in their canonical form (`parseEmail`): filters compare what is stored, and use its index. */
  isCanonical?: boolean
  /** Text: white space around it is not stored, and a text of nothing else is null. */
  isTrimmed?: boolean
  /** Text, and each item of a list: must contain more than white space. */
  filled?: boolean
  /** Null is possible only while the column never had a value: a caller can change the value but cannot set it to null. */
  notClearable?: boolean
  /** Numbers: minimum and maximum value. */
  minimum?: number
  maximum?: number
  /** Lists: maximum number of items. */
  maxItems?: number
  /** Decimals: maximum number of digits after the decimal point. */
  decimals?: number
  /** Enumerations: answers of REST and events describe the value as any string, because new values may be added. GraphQL has the enum type. */
  readAsString?: boolean
  /** JSON: the GraphQL object type of the field. */
  shape?: () => unknown
  /** JSON: the structure of the value, or of each item of the list. `StructureColumn` sets it. */
  structure?: StructureShape
  /** Columns from which this one is computed. A profile that hides one of them also hides this column. */
  derivedFrom?: readonly string[]
  /** Columns of other record types, as `object.column`, from which this one is computed. A profile that hides one of them also hides this column. */
  hiddenWith?: readonly string[]
  /** Stored, and readable by rules in the code, but not part of the GraphQL schema. */
  internal?: boolean
  /** Ids of users: the GraphQL field with the user, and its description. It has no column and no REST property of its own. */
  user?: { readonly field: string; readonly description: string }
  /** The database computes this column, in the view of the record or as a generated column, so it is never written. */
  computed?: boolean
  /**
   * The table has an index on `(organization_id, <column>, created_at, id)` of the rows that are not deleted, so lists are filtered and
   * sorted by the column at any size. Where a record type declares no index, its lists are small and sorted by every column.
   */
  indexed?: boolean
  /**
   * The table also has an index on `(organization_id, <day of created_at>, <column>, created_at, id)` (`dayIndexes`). It answers a range of values
   * in the order of creation where the range ends long before the newest records, such as the activities before a date.
   */
  indexedByDay?: boolean
  /** Booleans that are true in few records: the number of the others is the maintained total without those few. */
  isSeldomTrue?: boolean
  /** Edges of the record depend on the column, so it is read with them, as ids are. */
  decidesEdges?: boolean
  /** Timestamps that people think of as days: the moment of the day, in the time zone of the organization, that a date without a time means. */
  day?: DayMoment
  /** Timestamps that are days, stored as midnight UTC whatever the time zone of the organization is. */
  isUtcDay?: boolean
  /** Timestamps: the platform also changes the value without a new version of the record, so the `ETag` contains the value besides the version. */
  isUnversioned?: boolean
  /**
   * When a client may set the value. `ON_IMPORT`: owners and admins may set it on create, to a time that is not in the future. `NEVER`: only the
   * platform sets it. Default: `ALWAYS`.
   */
  writable?: 'ALWAYS' | 'ON_CREATE' | 'ON_IMPORT' | 'NEVER'
  /** Columns that a change of this one needs in the same request, although they may have the same value. */
  writtenWith?: readonly string[]
  /** It must be given on create, although it can be empty: an empty list would be of no use. */
  readonly required?: boolean
  /** The value of a new record when the client gives none. A column that is not nullable and has no default is required on create. */
  default?: unknown
  /** The value of a new record when the client gives none, in words, where the rules of the record type derive it: `the first open stage`. */
  derivedDefault?: string
  /** A realistic value, used in the examples of REST and in the sample events. */
  example?: unknown
}

/** The parts of a structured value (`structure.ts`). */
export interface StructureShape {
  readonly name: string
  readonly description: string
  /** The value is a list of such objects. */
  readonly isList: boolean
  readonly parts: readonly Column[]
  /** The GraphQL input type, with the parts that a client may set. */
  readonly input: object
}

/** One column of a record. Field security, filters, sorting, event payloads and the comparison of versions are all derived from it. */
export interface Column extends ColumnOptions {
  /** The name in GraphQL, in REST and in the class; `customFields.<key>` for a custom field. */
  readonly name: string
  /** The name of the table column that contains the value. */
  readonly column: string
  /** Custom fields: the key of the value in the JSON object of that table column. */
  readonly key?: string
  /** Custom fields: how the values are indexed, outside of the table. */
  readonly valueIndex?: ValueIndex
  /** Custom fields: what a write must obey besides the bounds. */
  readonly custom?: CustomFieldRules
  /** Custom fields: the formula that gives the value, which nobody writes; null for one that can no longer be evaluated, so that it is blank. */
  readonly formula?: Formula | null
  /** Formulas: every record has the value of the formula under its key. Without it, reads compute the value. */
  readonly isStored?: boolean
  /** Custom fields: the rollup that gives the value, which only reads compute; null for one that can no longer be evaluated, so that it is blank. */
  readonly rollup?: CompiledRollup | null
  /** Custom fields: the record type whose ids the values are. */
  readonly lookup?: Lookup
  /** Custom fields: the column that the field is being changed to, which written values must fit as well. */
  readonly also?: Column
  readonly kind: ColumnKind
  readonly type: GraphQLTypeOf
  readonly nullable: boolean
  /** The SQL expression for the value, with the PostgreSQL type of the kind. It can be selected, compared, ordered by and indexed. */
  readonly sql: (alias: string) => string
  /** Converts a value to the parameter of an insert or update. */
  readonly stored: (value: unknown) => unknown
}

/** Whether the value of a custom field follows from others, so that nobody writes it. */
export const isDerived = ({ formula, rollup }: Pick<Column, 'formula' | 'rollup'>): boolean =>
  formula !== undefined || rollup !== undefined

const unchanged = (value: unknown): unknown => value
const asJson = (value: unknown): unknown => (value === null ? null : JSON.stringify(value))

const columnsByClass = new Map<object, Column[]>()

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function kindOf(type: GraphQLTypeOf): ColumnKind {
  if (Array.isArray(type)) return 'textList'
  switch (type as unknown) {
    case String:
      return 'text'
    case Boolean:
      return 'boolean'
    case ID:
      return 'id'
    case Int:
      return 'integer'
    case Float:
      return 'number'
    case Decimal:
      return 'money'
    case DateTime:
      return 'timestamp'
    case Json:
      return 'json'
    default:
      return 'enum'
  }
}

const descriptionOfDerived = ({ derivedFrom, hiddenWith }: ColumnOptions): string | undefined =>
  hiddenWith
    ? 'Null for a caller whose profile hides a field from which it follows.'
    : derivedFrom && `Null for a caller whose profile hides ${derivedFrom.join(' or ')}.`

/** A table column for a property of the record class; `name` is the name of the property. */
export function tableColumn(name: string, type: GraphQLTypeOf, options: ColumnOptions = {}): Column {
  const kind = kindOf(type)
  const column = snakeCase(name)
  return {
    ...options,
    name,
    column,
    kind,
    type,
    nullable: options.nullable ?? false,
    sql: (alias) => `${alias}.${column}`,
    stored: kind === 'json' ? asJson : unchanged,
  }
}

/** Declares a column: a GraphQL field, a database column and an entry in the column list of the class. */
export function Column<const G extends GraphQLTypeOf>(
  typeOf: () => G,
  options: ColumnOptions & { default?: ValueOf<G>; example?: ValueOf<G> | null } = {},
) {
  return <K extends string, T extends { [P in K]: ValueOf<G> | null }>(target: T, key: K): void => {
    const type = typeOf()
    const column = tableColumn(key, type, options)
    const { kind } = column
    const { databaseType, databaseDefault } = columnKinds[kind]
    const own = columnsByClass.get(target.constructor) ?? []
    own.push(column)
    columnsByClass.set(target.constructor, own)

    if (!options.internal) {
      const shown = options.shape ? options.shape() : type
      const fieldOptions: FieldOptions = { nullable: column.nullable, simple: true }
      const description = [options.description, descriptionOfDerived(options)].filter(Boolean).join(' ')
      if (description) fieldOptions.description = description
      Field(() => shown as never, fieldOptions)(target, key)
      const { user } = options
      if (user) Field(() => UserReference, { nullable: true, description: user.description })(target, user.field)
    }
    if (options.computed) return
    const isKey = key === 'organizationId' || key === 'id'
    const property = { fieldName: column.column, type: databaseType, columnType: databaseType }
    if (isKey) PrimaryKey(property)(target, key)
    else
      Property({
        ...property,
        nullable: column.nullable,
        defaultRaw: column.nullable ? undefined : column.structure?.isList ? "'[]'" : databaseDefault,
      })(target, key)
  }
}

/** The enumeration of the values of a column, or of the items of a list; null for other columns. */
export function enumerationOf({ kind, type }: Pick<Column, 'kind' | 'type'>): Members | null {
  if (kind === 'enum') return type as Members
  if (kind !== 'textList') return null
  const [item] = type as readonly [typeof String | Members]
  return item === String ? null : (item as Members)
}

/** The value of a new record in a column for which the client gives none. */
export const initialValue = (column: Column): unknown => column.default ?? emptyValue(column)

/** The value of an empty column: null, an empty list, false or an empty object. Undefined when the column cannot be empty. */
export function emptyValue(column: Column): unknown {
  if (column.nullable) return null
  if (column.kind === 'textList' || column.structure?.isList) return []
  if (column.kind === 'boolean') return false
  if (column.name === 'customFields') return {}
  return undefined
}

/** The columns of a record class. Columns of the base class come first. */
export function columnsOf(entity: object): readonly Column[] {
  const base = Object.getPrototypeOf(entity) as object | null
  return [...(base && base !== Function.prototype ? columnsOf(base) : []), ...(columnsByClass.get(entity) ?? [])]
}

/** Declares an enumeration in TypeScript, in GraphQL and in REST from one list of members with their descriptions. */
export function enumeration<const M extends string>(
  name: string,
  description: string,
  members: Readonly<Record<M, string>>,
): { readonly [K in M]: K } {
  const names = Object.keys(members) as M[]
  const object = Object.fromEntries(names.map((member) => [member, member])) as { [K in M]: K }
  const valuesConfig = Object.fromEntries(names.map((member) => [member, { description: members[member] }]))
  registerEnumType(object, { name, description, valuesConfig: valuesConfig as never })
  enumerations.set(object, { name, description, members })
  return object
}

interface Enumeration {
  readonly name: string
  readonly description: string
  /** The description of each member. */
  readonly members: Readonly<Record<string, string>>
}

const enumerations = new WeakMap<object, Enumeration>()

export const enumerationName = (type: object): string => enumerations.get(type)?.name ?? ''

/** The description of an enumeration with its members, for contracts in which members have no descriptions of their own. */
export function enumerationDescription(type: object): string {
  const { description, members } = enumerations.get(type)!
  const described = Object.entries(members).map(([member, meaning]) => `- \`${member}\`: ${meaning}`)
  return [description, '', ...described].join('\n')
}
