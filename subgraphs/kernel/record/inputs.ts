import { Directive, ID, InputType, Int, ObjectType } from 'type-graphql'
import { columnsOf, initialValue, type Column, type ColumnOptions } from './column.ts'
import { classNamed, field, type Class } from './declared-class.ts'
import type { ColumnName, Relation } from './definition.ts'
import {
  dayCondition,
  emailCondition,
  inputDescription,
  pluralOf,
  quantifierDescriptions,
  wordsOf,
} from './describe.ts'
import { filterConditionsMax, filterRelationsMax } from './filter.ts'
import { operatorInputOf } from './operator-inputs.ts'
import { requireReadScopeInFilter, scopeOf } from './requires-scope.ts'

type Entity<T> = abstract new () => T

/** The name of a record type in sentences: `case comment`. */
export const entityName = (entity: object): string => wordsOf((entity as { name: string }).name)

const newRecord = (one: string): string =>
  `The values of a new ${one}. An absent field gets its default, which is null or empty if none is named.`

const inputDescriptions = {
  REPLACE: (one: string) => `All values of one ${one}. An absent field gets the value that a new ${one} would have.`,
  CREATE: newRecord,
  IMPORT: newRecord,
  UPSERT: (one: string) =>
    `The values of a ${one}, new or existing. An absent field is not changed; in a new ${one} it gets its default. What a new ${one} must have is required where there is none with the key yet.`,
  UPDATE: (one: string) =>
    `Changes of one ${one}. An absent field is not changed, and null clears a field that can be null.`,
} as const

/** The values of a record that a client sends. GraphQL checks which columns are allowed and which are required. */
export type RecordInput<T> = { [Name in ColumnName<T>]?: T[Name] | null }

const writableIn: Readonly<Record<'IMPORT' | 'CREATE' | 'UPDATE', readonly ColumnOptions['writable'][]>> = {
  IMPORT: ['ALWAYS', 'ON_CREATE', 'ON_IMPORT'],
  CREATE: ['ALWAYS', 'ON_CREATE'],
  UPDATE: ['ALWAYS'],
}

/** Whether create requires the column. The platform generates ids, initial values and derived defaults. */
export const isRequired = (column: Column): boolean =>
  column.required === true ||
  (!column.nullable &&
    column.name !== 'id' &&
    column.derivedDefault === undefined &&
    initialValue(column) === undefined)

/** The columns that a client may send; `IMPORT`: with those that owners and admins may set on create. Those that create requires come first. */
export function writableColumns(entity: object, operation: 'IMPORT' | 'CREATE' | 'UPDATE'): readonly Column[] {
  const writable = shownColumns(entity).filter((column) => writableIn[operation].includes(column.writable ?? 'ALWAYS'))
  return [...writable.filter(isRequired), ...writable.filter((column) => !isRequired(column))]
}

/** The columns of each input. */
const columnsIn = { REPLACE: 'UPDATE', CREATE: 'CREATE', IMPORT: 'IMPORT', UPSERT: 'IMPORT', UPDATE: 'UPDATE' } as const

const inputTypeOf = ({ type, structure }: Column): unknown =>
  structure ? (structure.isList ? [structure.input] : structure.input) : type

function inputOf<T>(
  name: string,
  entity: Entity<T>,
  operation: keyof typeof inputDescriptions,
  omitted: readonly string[] = [],
): Class<RecordInput<T>> {
  const input = classNamed(name)
  const isChange = operation === 'UPDATE' || operation === 'UPSERT'
  for (const column of writableColumns(entity, columnsIn[operation])) {
    if (omitted.includes(column.name)) continue
    const nullable = isChange || !isRequired(column)
    const description = inputDescription(column, isChange ? 'UPDATE' : 'CREATE')
    field(input, column.name, () => inputTypeOf(column), { nullable, description }, column.day)
  }
  InputType(name, { description: inputDescriptions[operation](entityName(entity)) })(input)
  return input as Class<RecordInput<T>>
}

/** The GraphQL input type for creating a record; without the columns that follow from what it is created with. */
export const createInputOf = <T>(
  name: string,
  entity: Entity<T>,
  omitted: readonly string[] = [],
): Class<RecordInput<T>> => inputOf(name, entity, 'CREATE', omitted)

const importable = new Set<object>()

/** Whether the input for creating a record has what an import may set. */
export const isImportable = (entity: object): boolean => importable.has(entity)

/** As `createInputOf`, with what an import by an owner or admin may set. */
export function importInputOf<T>(name: string, entity: Entity<T>): Class<RecordInput<T>> {
  importable.add(entity)
  return inputOf(name, entity, 'IMPORT')
}

/** The GraphQL input type for updating a record. */
export const updateInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'UPDATE')

/** The GraphQL input type for replacing a record. */
export const replaceInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'REPLACE')

/** The GraphQL input type for creating or updating the record with a key. The platform gives a new one its id. */
export const upsertInputOf = <T>(name: string, entity: Entity<T>): Class<RecordInput<T>> =>
  inputOf(name, entity, 'UPSERT', ['id'])

/** The GraphQL input type for one item of a bulk upsert: the upsert input, and the expected version of the record. */
export function upsertItemOf<T>(name: string, entity: Entity<T>): Class<RecordInput<T>> {
  const input = inputOf(name, entity, 'UPSERT', ['id'])
  field(input, 'expectedVersion', () => Int, {
    nullable: true,
    description: `Version that the ${entityName(entity)} must have; otherwise the item fails with VERSION_CONFLICT, or NOT_FOUND if there is none. Null: no check.`,
  })
  return input
}

/** The GraphQL input type for one item of a bulk update: the update input, and the id and expected version of the record. */
export function bulkItemOf<T>(
  name: string,
  entity: Entity<T>,
): Class<RecordInput<T> & { id: string; expectedVersion?: number | null }> {
  const input = inputOf(name, entity, 'UPDATE')
  field(input, 'id', () => ID, { description: `Id of the ${entityName(entity)} to change.` })
  field(input, 'expectedVersion', () => Int, {
    nullable: true,
    description: `Version that the ${entityName(entity)} must have; otherwise the item fails with VERSION_CONFLICT. Null: no check.`,
  })
  return input as never
}

export const shownColumns = (entity: object): readonly Column[] => columnsOf(entity).filter(({ internal }) => !internal)

const conditionDescription = (column: Column): string =>
  column.kind !== 'json'
    ? [
        column.description ?? '',
        ...(column.day ? [dayCondition] : []),
        ...(column.isEmail ? [emailCondition(column)] : []),
      ].join(' ')
    : column.name === 'customFields'
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
 * The GraphQL filter input of a record type: all columns unless some are named, `and`, `or` and `not`. `relations` adds filters on related records: a
 * relation to one record has that record's filter, a relation to many records has `some`, `every` and `none`. Every subgraph whose
 * filters reach this one has the same input in its schema.
 */
export function filterOf<T>(
  name: string,
  entity: Entity<T>,
  relations: Readonly<Record<string, Relation>> = {},
  columns: readonly Column[] = shownColumns(entity),
): Class {
  const filter = classNamed(name)
  filters.set(entity, { one: filter, many: quantified(name.replace(/Filter$/, 'ListFilter'), filter) })
  for (const shownColumn of columns) {
    if (shownColumn.structure) continue
    const description = conditionDescription(shownColumn)
    field(
      filter,
      shownColumn.name,
      () => operatorInputOf(shownColumn),
      { nullable: true, description },
      shownColumn.day,
    )
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

function quantified(name: string, filter: Class): Class {
  const input = classNamed(name)
  for (const [quantifier, description] of Object.entries(quantifierDescriptions))
    field(input, quantifier, () => filter, { nullable: true, description })
  InputType(name, {
    description: 'Conditions on related records. Only related records that the caller can see are compared.',
  })(input)
  return input
}

/** The GraphQL page type of a list, in the form of the specification; requires the scope to read the resource. */
export const pageOf = <T>(name: string, entity: Entity<T>, resource: string): Class =>
  pageRequiring(name, entity, scopeOf('READ', resource))

/** Like `pageOf`, with another required scope. */
export function pageRequiring<T>(name: string, entity: Entity<T>, scope: string): Class {
  const page = classNamed(name)
  const many = pluralOf(entityName(entity))
  field(page, 'data', () => [entity], { description: `The ${many} of this page, in the requested order.` })
  field(page, 'page', () => Int, { description: 'Number of this page, from 1.' })
  field(page, 'limit', () => Int, { description: `Maximum number of ${many} on a page, as requested: 1 to 100.` })
  field(page, 'total', () => Int, {
    nullable: true,
    description:
      'Exact number of matching records that the caller can see, without deleted ones. Maintained without a filter and with a filter by enumerated fields only; otherwise the matching records are counted when this field is selected, which takes up to 0.1 s for 200,000 of them, and with search, tags or custom fields about 3 ms for each 1,000. A count of over 2 s is refused with QUERY_TOO_EXPENSIVE: leave `total` out where it is not shown.',
  })
  field(page, 'totalPages', () => Int, {
    nullable: true,
    description: 'Number of pages with this limit; costs what `total` costs.',
  })
  field(page, 'hasMore', () => Boolean, { description: `True if more ${many} follow after this page.` })
  field(page, 'nextCursor', () => String, {
    nullable: true,
    description:
      'Cursor of the next page, for the argument `cursor`; no record is repeated or skipped. Null on the last page.',
  })
  return requiringScope(name, page, scope, `A page of ${many}.`)
}

export class PageInfo {}
field(PageInfo, 'hasNextPage', () => Boolean, { description: 'True if more records follow after `endCursor`.' })
field(PageInfo, 'hasPreviousPage', () => Boolean, { description: 'True if the page was requested with `after`.' })
field(PageInfo, 'startCursor', () => String, {
  nullable: true,
  description: 'Cursor of the first record of the page; null if it is empty.',
})
field(PageInfo, 'endCursor', () => String, {
  nullable: true,
  description: 'Cursor of the last record of the page, to send as `after` for the next page; null if it is empty.',
})
Directive('@shareable')(PageInfo)
ObjectType('PageInfo', { description: 'The position of a page in its list.' })(PageInfo)

/** The GraphQL connection and edge types of a record type (`first`, `after`). */
export const connectionOf = <T>(name: string, entity: Entity<T>, resource: string): Class =>
  connectionRequiring(name, entity, scopeOf('READ', resource))

/** Like `connectionOf`, with another required scope. */
export function connectionRequiring<T>(name: string, entity: Entity<T>, scope: string): Class {
  const edge = classNamed(`${name}Edge`)
  const one = entityName(entity)
  const many = pluralOf(one)
  field(edge, 'node', () => entity, { description: `The ${one}.` })
  field(edge, 'cursor', () => String, { description: `Position of the ${one} in the list, to send as \`after\`.` })
  requiringScope(`${name}Edge`, edge, scope, `One ${one} of a connection with its position.`)
  const connection = classNamed(`${name}Connection`)
  field(connection, 'edges', () => [edge], { description: `The ${many} with their cursors, in the requested order.` })
  field(connection, 'nodes', () => [entity], { description: `The same ${many} without cursors.` })
  field(connection, 'pageInfo', () => PageInfo, { description: 'The position of this page in the list.' })
  field(connection, 'totalCount', () => Int, { nullable: true, description: 'Like `total` of a page.' })
  return requiringScope(
    `${name}Connection`,
    connection,
    scope,
    `${one.charAt(0).toUpperCase()}${many.slice(1)} in the form of a connection: \`first\` records after the cursor \`after\`.`,
  )
}

function requiringScope(name: string, type: Class, scope: string, description: string): Class {
  Directive(`@requiresScopes(scopes: [["${scope}"]])`)(type)
  ObjectType(name, { description })(type)
  return type
}
