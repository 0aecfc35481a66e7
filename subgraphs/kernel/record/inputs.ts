import { Directive, Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql'
import { columnsOf, enumerationName, initialValue, type Column, type ColumnOptions } from './column.ts'
import type { ColumnName, Relation } from './definition.ts'
import { filterConditionsMax, filterRelationsMax } from './filter.ts'
import { requireReadScopeInFilter } from './requires-scope.ts'
import { DateTime, Decimal, Json } from './scalars.ts'

type Class<T = object> = new () => T
type Entity<T> = abstract new () => T
type TypeThunk = () => unknown

function field(
  target: Class,
  name: string,
  type: TypeThunk,
  options: { nullable?: boolean; description?: string; defaultValue?: unknown } = {},
): void {
  Field(type as never, options as never)(target.prototype as object, name)
}

function classNamed(name: string): Class {
  return { [name]: class {} }[name] as Class
}

/** The values of a record that a client sends. GraphQL checks which columns are allowed and which are required. */
export type RecordInput<T> = { [Name in ColumnName<T>]?: T[Name] | null }

const writableIn: Readonly<Record<'CREATE' | 'UPDATE', readonly ColumnOptions['writable'][]>> = {
  CREATE: ['ALWAYS', 'ON_CREATE'],
  UPDATE: ['ALWAYS'],
}

/** Whether create requires the column. The platform generates ids and initial values. */
export const isRequired = (column: Column): boolean =>
  !column.nullable && column.name !== 'id' && initialValue(column) === undefined

/** The columns that a client may send. Those that create requires come first. */
export function writableColumns(entity: object, operation: 'CREATE' | 'UPDATE'): readonly Column[] {
  const writable = shown(entity).filter((column) => writableIn[operation].includes(column.writable ?? 'ALWAYS'))
  return [...writable.filter(isRequired), ...writable.filter((column) => !isRequired(column))]
}

function inputOf<T>(name: string, entity: Entity<T>, operation: 'CREATE' | 'UPDATE'): Class<RecordInput<T>> {
  const input = classNamed(name)
  for (const column of writableColumns(entity, operation)) {
    const { type, description } = column
    const nullable = operation === 'UPDATE' || !isRequired(column)
    field(input, column.name, () => type, { nullable, ...(description && { description }) })
  }
  InputType(name)(input)
  return input as Class<RecordInput<T>>
}

/** The GraphQL input type for creating a record. */
export const createInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'CREATE')

/** The GraphQL input type for updating a record. */
export const updateInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'UPDATE')

/** The GraphQL input type for one item of a bulk update: the update input, and the id and expected version of the record. */
export function bulkItemOf<T>(
  name: string,
  entity: Entity<T>,
): Class<RecordInput<T> & { id: string; expectedVersion?: number | null }> {
  const input = inputOf(name, entity, 'UPDATE')
  field(input, 'id', () => ID)
  field(input, 'expectedVersion', () => Int, { nullable: true })
  return input as never
}

const operators = new Map<string, Class>()

/** The filter input type for a kind of column. All filters with such a column share it. */
function operatorInputOf({ kind, type }: Column): unknown {
  const name = {
    id: 'IdFilter',
    text: 'StringFilter',
    integer: 'IntFilter',
    number: 'FloatFilter',
    money: 'DecimalFilter',
    boolean: 'BooleanFilter',
    timestamp: 'DateTimeFilter',
    date: 'DateFilter',
    textList: 'StringListFilter',
    json: '',
    enum: `${enumerationName(type)}Filter`,
  }[kind]
  if (kind === 'json') return Json
  const known = operators.get(name)
  if (known) return known
  const input = classNamed(name)
  const add = (names: readonly string[], operand: TypeThunk) =>
    names.forEach((operator) => field(input, operator, operand, { nullable: true }))
  switch (kind) {
    case 'textList':
      add(['has'], () => String)
      add(['hasAny', 'hasAll'], () => [String])
      add(['isEmpty'], () => Boolean)
      break
    case 'boolean':
      add(['eq', 'ne'], () => Boolean)
      add(['isNull'], () => Boolean)
      break
    default: {
      const operand = {
        id: ID,
        text: String,
        integer: Int,
        number: Float,
        money: Decimal,
        timestamp: DateTime,
        date: String,
        enum: type,
      }[kind]
      add(['eq', 'ne'], () => operand)
      add(['in', 'notIn'], () => [operand])
      if (kind === 'text') add(['contains', 'startsWith', 'endsWith'], () => String)
      if (['integer', 'number', 'money', 'timestamp', 'date'].includes(kind))
        add(['gt', 'gte', 'lt', 'lte'], () => operand)
      add(['isNull'], () => Boolean)
    }
  }
  const presence =
    kind === 'textList' ? '' : ' `isNull: true` matches records without a value, `isNull: false` records with one.'
  InputType(name, {
    description: `Filter operators; a record must match all of them. An operator that is null is ignored.${presence}`,
  })(input)
  operators.set(name, input)
  return input
}

const shown = (entity: object): readonly Column[] => columnsOf(entity).filter(({ internal }) => !internal)

const descriptionOf = ({ kind, name }: Column): string | undefined =>
  kind !== 'json'
    ? undefined
    : name === 'customFields'
      ? 'Custom fields by API name; a record must have all of these values. Null matches records without the field.'
      : 'Keys and values that the JSON value must contain.'

/** The filters of record types by their classes: of one related record, and of many. */
const filters = new Map<object, { readonly one: Class; readonly many: Class }>()

function filterOfRelated({ to, by }: Relation): Class {
  const { entity, object } = to()
  const found = filters.get(entity)
  if (!found) throw new Error(`The record type ${object} has no filter.`)
  return by ? found.one : found.many
}

/**
 * The GraphQL filter input of a record type: all columns, `and`, `or` and `not`. `relations` adds filters on related records: a
 * relation to one record has that record's filter, a relation to many records has `some`, `every` and `none`. Every subgraph whose
 * filters reach this one has the same input in its schema.
 */
export function filterOf<T>(
  name: string,
  entity: Entity<T>,
  relations: Readonly<Record<string, Relation>> = {},
): Class {
  const filter = classNamed(name)
  filters.set(entity, { one: filter, many: quantified(name.replace(/Filter$/, 'ListFilter'), filter) })
  for (const shownColumn of shown(entity)) {
    const description = descriptionOf(shownColumn)
    field(filter, shownColumn.name, () => operatorInputOf(shownColumn), {
      nullable: true,
      ...(description && { description }),
    })
    operatorInputOf(shownColumn)
  }
  const limit = `A filter must have at most ${filterConditionsMax} conditions on all levels together.`
  field(filter, 'and', () => [filter], { nullable: true, description: `Filters that must all match. ${limit}` })
  field(filter, 'or', () => [filter], {
    nullable: true,
    description: `Filters of which at least one must match. ${limit}`,
  })
  field(filter, 'not', () => filter, { nullable: true, description: 'A filter that must not match.' })
  for (const [relationName, relation] of Object.entries(relations)) {
    const { description } = relation
    field(filter, relationName, () => filterOfRelated(relation), { nullable: true, description })
  }
  requireReadScopeInFilter(filter, entity)
  InputType(name, {
    description: [
      'Conditions; a record must match all of them. A condition that is null or has no operator is ignored.',
      ...(Object.keys(relations).length > 0
        ? [`A filter may follow at most ${filterRelationsMax} relations, one inside the other.`]
        : []),
    ].join(' '),
  })(filter)
  return filter
}

const quantifiers = {
  some: 'At least one related record must match; with an empty filter, there must be one.',
  every: 'All related records must match. A record without related records matches.',
  none: 'No related record may match; with an empty filter, there must be none.',
}

function quantified(name: string, filter: Class): Class {
  const input = classNamed(name)
  for (const [quantifier, description] of Object.entries(quantifiers))
    field(input, quantifier, () => filter, { nullable: true, description })
  InputType(name, {
    description: 'Conditions on related records. Only related records that the caller can see are compared.',
  })(input)
  return input
}

const SortOrder = { ASC: 'ASC', DESC: 'DESC', asc: 'asc', desc: 'desc' } as const
registerEnumType(SortOrder, {
  name: 'SortOrder',
  description: 'Sort direction, in upper or lower case. Records without a value come last in both directions.',
})

const sortable = ({ kind }: Column): boolean => kind !== 'json' && kind !== 'textList'

/** The columns that lists can be sorted by: those with an index; every column where the record type declares none. */
export function sortableColumns(entity: object): readonly Column[] {
  const columns = shown(entity).filter(sortable)
  return columns.some(({ indexed }) => indexed)
    ? columns.filter(({ indexed, name }) => indexed || name === 'id')
    : columns
}

/** The GraphQL sort input of a record type. */
export function orderOf<T>(name: string, entity: Entity<T>): Class {
  const fields = Object.fromEntries(sortableColumns(entity).map(({ name }) => [name, name]))
  registerEnumType(fields, { name: `${name}Field` })
  const order = classNamed(name)
  field(order, 'field', () => fields, { nullable: true, defaultValue: 'createdAt' })
  field(order, 'direction', () => SortOrder, { nullable: true, defaultValue: 'DESC' })
  InputType(name)(order)
  return order
}

/** The GraphQL page type of a list, in the form of the specification; requires the scope to read the resource. */
export const pageOf = <T>(name: string, entity: Entity<T>, resource: string): Class =>
  pageRequiring(name, entity, `READ_${resource}`)

/** Like `pageOf`, with another required scope. */
export function pageRequiring<T>(name: string, entity: Entity<T>, scope: string): Class {
  const page = classNamed(name)
  field(page, 'data', () => [entity])
  field(page, 'page', () => Int)
  field(page, 'limit', () => Int)
  field(page, 'total', () => Int, {
    nullable: true,
    description:
      'Exact number of matching records that the caller can see, without deleted ones. Maintained without a filter and with a filter by enumerated fields only; otherwise the matching records are counted when this field is selected, which takes up to 0.1 s for 200,000 of them, and longer for search, tags and custom fields.',
  })
  field(page, 'totalPages', () => Int, { nullable: true })
  field(page, 'hasMore', () => Boolean)
  field(page, 'nextCursor', () => String, {
    nullable: true,
    description:
      'Cursor of the next page, for the argument `cursor`; no record is repeated or skipped. Null on the last page.',
  })
  return requiringScope(name, page, scope)
}

class PageInfo {}
field(PageInfo, 'hasNextPage', () => Boolean)
field(PageInfo, 'hasPreviousPage', () => Boolean)
field(PageInfo, 'startCursor', () => String, { nullable: true })
field(PageInfo, 'endCursor', () => String, { nullable: true })
Directive('@shareable')(PageInfo)
ObjectType('PageInfo')(PageInfo)

/** The GraphQL connection and edge types of a record type (`first`, `after`). */
export function connectionOf<T>(name: string, entity: Entity<T>, resource: string): Class {
  const edge = classNamed(`${name}Edge`)
  field(edge, 'node', () => entity)
  field(edge, 'cursor', () => String)
  requiringScope(`${name}Edge`, edge, `READ_${resource}`)
  const connection = classNamed(`${name}Connection`)
  field(connection, 'edges', () => [edge])
  field(connection, 'nodes', () => [entity])
  field(connection, 'pageInfo', () => PageInfo)
  field(connection, 'totalCount', () => Int, { nullable: true, description: 'Like `total` of a page.' })
  return requiringScope(`${name}Connection`, connection, `READ_${resource}`)
}

function requiringScope(name: string, type: Class, scope: string): Class {
  Directive(`@requiresScopes(scopes: [["${scope}"]])`)(type)
  ObjectType(name)(type)
  return type
}
