import { Property, PrimaryKey } from '@mikro-orm/decorators/legacy'
import type { GraphQLScalarType } from 'graphql'
import { Field, Float, ID, Int, registerEnumType, type FieldOptions } from 'type-graphql'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { DateTime, Decimal, Json } from './scalars.ts'

export type GraphQLTypeOf =
  typeof String | typeof Boolean | GraphQLScalarType | Readonly<Record<string, string>> | readonly [typeof String]

/** The TypeScript type behind a GraphQL type: the compiler compares it with the property. */
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
  description?: string
  /** Text: most characters, counted as code points. */
  max?: number
  /** Text, and each item of a list: must not be empty or only white space. */
  filled?: boolean
  /** Null only where nobody ever gave a value: a caller may change but not clear it. */
  lasting?: boolean
  /** Numbers: smallest and largest value. */
  minimum?: number
  maximum?: number
  /** Lists: most items. */
  maxItems?: number
  /** Decimals: most digits behind the point. */
  decimals?: number
  /** Enumerations whose read shape is a plain string. */
  readAsString?: boolean
  /** JSON: the object type that the graph shows it as. */
  shape?: () => unknown
  /** Columns whose content shows in this one: it is hidden with any of them. */
  derivedFrom?: readonly string[]
  /** Kept, and usable by rules, but not part of the graph. */
  internal?: boolean
  /** The view that the record is read from computes it, so it is not written. */
  computed?: boolean
  /** When a client may give the value; never, where the platform or the rules of the type do. Always, unless said. */
  writable?: 'ALWAYS' | 'ON_CREATE' | 'NEVER'
  /** What a new record has when nobody gave a value. A column without one that takes no null is required on create. */
  default?: unknown
}

/** One column of a record: what field security, filters, sorting, the event payload and the change diff read. */
export interface Column extends ColumnOptions {
  /** The name in the graph, in REST and in the class; `customFields.<key>` for a custom field. */
  readonly name: string
  /** The column of the table that holds the value. */
  readonly column: string
  /** The key of the value in that column, where the column holds a JSON object. */
  readonly key?: string
  readonly kind: ColumnKind
  readonly type: GraphQLTypeOf
  readonly nullable: boolean
  /** The value of a row in SQL, of the type that belongs to the kind: to be selected, compared, ordered and indexed. */
  readonly sql: (alias: string) => string
  /** A value as the parameter of a write. */
  readonly stored: (value: unknown) => unknown
}

const asItIs = (value: unknown): unknown => value
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

const hiddenWith = ({ derivedFrom }: ColumnOptions): string | undefined =>
  derivedFrom && `Null to those from whom a profile hides ${derivedFrom.join(' or ')}.`

/** A column of a table, named as in the class. */
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
    stored: kind === 'json' ? asJson : asItIs,
  }
}

/** Declares a column: a GraphQL field, a database column and an entry of the class's column list, from one line. */
export function Column<const G extends GraphQLTypeOf>(
  typeOf: () => G,
  options: ColumnOptions & { default?: ValueOf<G> } = {},
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
      const shown = options.shape ? options.shape() : kind === 'enum' && options.readAsString ? String : type
      const fieldOptions: FieldOptions = { nullable: column.nullable, simple: true }
      const description = [options.description, hiddenWith(options)].filter(Boolean).join(' ')
      if (description) fieldOptions.description = description
      Field(() => shown as never, fieldOptions)(target, key)
    }
    const isKey = key === 'organizationId' || key === 'id'
    const property = { fieldName: column.column, type: databaseType, columnType: databaseType }
    if (isKey) PrimaryKey(property)(target, key)
    else
      Property({
        ...property,
        nullable: column.nullable,
        defaultRaw: column.nullable ? undefined : databaseDefault,
      })(target, key)
  }
}

/** What a new record has in a column that nobody gave a value. */
export const initialValue = (column: Column): unknown => column.default ?? blank(column)

/** A column without a value. */
export function blank(column: Column): unknown {
  if (column.nullable) return null
  if (column.kind === 'textList') return []
  if (column.kind === 'boolean') return false
  if (column.name === 'customFields') return {}
  return undefined
}

/** The columns of a record class, those of its base class first. */
export function columnsOf(entity: object): readonly Column[] {
  const base = Object.getPrototypeOf(entity) as object | null
  return [...(base && base !== Function.prototype ? columnsOf(base) : []), ...(columnsByClass.get(entity) ?? [])]
}

/** An enumeration: its members as values and as a GraphQL enum type, from one list. */
export function enumeration<const M extends string>(
  name: string,
  members: readonly M[],
  description?: string,
): { readonly [K in M]: K } {
  const object = Object.fromEntries(members.map((member) => [member, member])) as { [K in M]: K }
  registerEnumType(object, description ? { name, description } : { name })
  enumerationNames.set(object, name)
  return object
}

const enumerationNames = new WeakMap<object, string>()

export const enumerationName = (type: object): string => enumerationNames.get(type) ?? ''
