import { Directive, Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql'
import { columnsOf, enumerationName, initialValue, type Column, type ColumnOptions } from './column.ts'
import type { ColumnName } from './definition.ts'
import { filterConditionsMax } from './filter.ts'
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

/** What a client may give of a record. The graph checks which columns that are, and which of them must be given. */
export type RecordInput<T> = { [Name in ColumnName<T>]?: T[Name] | null }

const writableIn: Readonly<Record<'CREATE' | 'UPDATE', readonly ColumnOptions['writable'][]>> = {
  CREATE: ['ALWAYS', 'ON_CREATE'],
  UPDATE: ['ALWAYS'],
}

/** The platform gives an id and every initial value by itself. */
export const isRequired = (column: Column): boolean =>
  !column.nullable && column.name !== 'id' && initialValue(column) === undefined

/** The columns that a client may give; first those that a new record must have. */
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

/** What a client may give when it creates a record. */
export const createInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'CREATE')

/** What a client may change of a record. */
export const updateInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'UPDATE')

/** One item of a bulk update: what a client may change, beside the id and the expected version of the record. */
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

/** The operators of one kind of column; shared by every filter that has such a column. */
function operatorsOf({ kind, type }: Column): unknown {
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
  const presence = kind === 'textList' ? '' : ' `isNull` finds what has no value, or has one.'
  InputType(name, { description: `All given operators hold; one that is null filters nothing.${presence}` })(input)
  operators.set(name, input)
  return input
}

const shown = (entity: object): readonly Column[] => columnsOf(entity).filter(({ internal }) => !internal)

const descriptionOf = ({ kind, name }: Column): string | undefined =>
  kind !== 'json'
    ? undefined
    : name === 'customFields'
      ? 'Has these custom fields with these values; null asks for records without that field.'
      : 'Holds these keys with these values.'

/**
 * A filter with every column of a record, `and`, `or` and `not`. `relations` adds filters of related records: one record
 * takes their filter, many take `some`, `every` and `none`.
 */
export function filterOf<T>(
  name: string,
  entity: Entity<T>,
  relations: Readonly<Record<string, { one: () => unknown } | { many: () => unknown; name: string }>> = {},
): Class {
  const filter = classNamed(name)
  for (const shownColumn of shown(entity)) {
    const description = descriptionOf(shownColumn)
    field(filter, shownColumn.name, () => operatorsOf(shownColumn), {
      nullable: true,
      ...(description && { description }),
    })
    operatorsOf(shownColumn)
  }
  const description = `A filter has at most ${filterConditionsMax} conditions, all levels together.`
  field(filter, 'and', () => [filter], { nullable: true, description })
  field(filter, 'or', () => [filter], { nullable: true, description })
  field(filter, 'not', () => filter, { nullable: true })
  for (const [relation, target] of Object.entries(relations)) {
    const type = 'one' in target ? target.one : () => many
    const many = 'many' in target ? quantified(target.name, target.many) : null
    field(filter, relation, type, { nullable: true })
  }
  InputType(name, {
    description: 'All given conditions hold. An absent condition, or one without an operator, filters nothing.',
  })(filter)
  return filter
}

const quantifiedFilters = new Map<string, Class>()

function quantified(name: string, filter: () => unknown): Class {
  let input = quantifiedFilters.get(name)
  if (!input) {
    input = classNamed(name)
    quantifiedFilters.set(name, input)
    for (const quantifier of ['some', 'every', 'none']) field(input, quantifier, filter, { nullable: true })
    InputType(name, { description: 'Conditions on related records that the caller may see.' })(input)
  }
  return input
}

const SortOrder = { ASC: 'ASC', DESC: 'DESC', asc: 'asc', desc: 'desc' } as const
registerEnumType(SortOrder, { name: 'SortOrder', description: 'Either case. Absent values come last in both orders.' })

const sortable = (kind: Column['kind']): boolean => kind !== 'json' && kind !== 'textList'

/** An order by any column. */
export function orderOf<T>(name: string, entity: Entity<T>): Class {
  const fields = Object.fromEntries(
    shown(entity)
      .filter(({ kind }) => sortable(kind))
      .map((shownColumn) => [shownColumn.name, shownColumn.name]),
  )
  registerEnumType(fields, { name: `${name}Field` })
  const order = classNamed(name)
  field(order, 'field', () => fields, { nullable: true, defaultValue: 'createdAt' })
  field(order, 'direction', () => SortOrder, { nullable: true, defaultValue: 'DESC' })
  InputType(name)(order)
  return order
}

/** The list envelope of the specification. */
export const pageOf = <T>(name: string, entity: Entity<T>, resource: string): Class =>
  pageRequiring(name, entity, `READ_${resource}`)

/** The same behind a requirement that is not the reading of a resource. */
export function pageRequiring<T>(name: string, entity: Entity<T>, scope: string): Class {
  const page = classNamed(name)
  field(page, 'data', () => [entity])
  field(page, 'page', () => Int)
  field(page, 'limit', () => Int)
  field(page, 'total', () => Int, {
    nullable: true,
    description: 'Live records in sight that match, counted exactly and only when asked for.',
  })
  field(page, 'totalPages', () => Int, { nullable: true })
  field(page, 'hasMore', () => Boolean)
  field(page, 'nextCursor', () => String, {
    nullable: true,
    description: 'Give it as `cursor` to continue without repeating or losing a row.',
  })
  return restricted(name, page, scope)
}

class PageInfo {}
field(PageInfo, 'hasNextPage', () => Boolean)
field(PageInfo, 'hasPreviousPage', () => Boolean)
field(PageInfo, 'startCursor', () => String, { nullable: true })
field(PageInfo, 'endCursor', () => String, { nullable: true })
Directive('@shareable')(PageInfo)
ObjectType('PageInfo')(PageInfo)

/** A keyset connection (first, after). */
export function connectionOf<T>(name: string, entity: Entity<T>, resource: string): Class {
  const edge = classNamed(`${name}Edge`)
  field(edge, 'node', () => entity)
  field(edge, 'cursor', () => String)
  restricted(`${name}Edge`, edge, `READ_${resource}`)
  const connection = classNamed(`${name}Connection`)
  field(connection, 'edges', () => [edge])
  field(connection, 'nodes', () => [entity])
  field(connection, 'pageInfo', () => PageInfo)
  field(connection, 'totalCount', () => Int, { nullable: true })
  return restricted(`${name}Connection`, connection, `READ_${resource}`)
}

function restricted(name: string, type: Class, scope: string): Class {
  Directive(`@requiresScopes(scopes: [["${scope}"]])`)(type)
  ObjectType(name)(type)
  return type
}
