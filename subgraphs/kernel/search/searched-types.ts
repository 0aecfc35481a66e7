import { createHash } from 'node:crypto'
import { columnOf, type RecordShape } from '../record/definition.ts'
import type { EventType } from '../record/event-types.ts'
import { customObject, recordTypeIn, recordTypeNamesIn } from '../record/custom-object.ts'
import { meaningSql } from '../record/local-formula.ts'
import { knownReadScope } from '../record/requires-scope.ts'
import { shapeFor, type OrganizationShapes } from '../record/shape-source.ts'

/** A change of how entries are made builds all of them again. */
const entryVersion = 2

const eventTypesOf = ({ events }: RecordShape): [string, EventType][] => Object.entries(events?.types ?? {})

/**
 * Whether records of the type are found: they have searchable text, a scope to read them, and events of their creation. What only
 * administrators know of is no record that people look for.
 */
const isSearched = (shape: RecordShape): boolean =>
  shape.searchable.length > 0 &&
  !shape.isAdministrative &&
  !shape.storedIn &&
  knownReadScope(shape.entity) !== null &&
  eventTypesOf(shape).some(([, { operation }]) => operation === 'CREATE')

/** The record types that are searched, with the custom fields and the custom objects of an organization. */
export const searchedShapes = (shapes: OrganizationShapes | null): RecordShape[] =>
  recordTypeNamesIn({ shapes })
    .map((object) => recordTypeIn({ shapes }, object)!)
    .filter(isSearched)
    .map((shape) => shapeFor({ shapes }, shape))

/** The columns whose words are searched: that of the title first. */
export function searchedColumns(shape: RecordShape): string[] {
  const title = titleColumn(shape)
  return [title, ...shape.searchable.filter((name) => name !== title)]
}

/** The column that names a record in results. */
export const titleColumn = ({ title, searchable }: RecordShape): string => title ?? searchable[0]!

/** The column that results show below the title; null if there is none. */
export const subtitleColumn = (shape: RecordShape): string | null =>
  shape.subtitle !== undefined
    ? shape.subtitle
    : (shape.searchable.find((name) => name !== titleColumn(shape) && !name.includes('.')) ?? null)

/** What the entries of a record type are made of: its columns, and how each is computed, such as the expression of a formula. */
export const signatureOf = (shape: RecordShape): string =>
  digestOf([
    entryVersion,
    ...[searchedColumns(shape), shape.visibleBy].map((names) =>
      names.map((name) => [name, meaningSql(columnOf(shape, name), 't')]),
    ),
    shape.privateUnless !== undefined,
  ])

/** What the entries of organizations are made of that have defined nothing. */
export const usualDigest = (): string =>
  digestOf(searchedShapes(null).map((shape) => `${shape.object} ${signatureOf(shape)}`))

const digestOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

/** SQL condition of the events `e` after which entries are written: those of the record types that are searched. */
export const eventCondition = (): string =>
  `(e.object in (${searchedShapes(null)
    .map(({ object }) => `'${object}'`)
    .join(', ')}) or starts_with(e.object, '${customObject('')}'))`

/** The names of the fields whose changes concern the entry of a record; null when its events do not tell. */
export function fieldsOfEntry(shape: RecordShape): ReadonlySet<string> | null {
  if (shape.events?.payload) return null
  const names = [...searchedColumns(shape), ...shape.visibleBy]
  const columns = names.map((name) => columnOf(shape, name))
  if (columns.some(({ internal }) => internal)) return null
  const all = [...names, ...columns.flatMap(({ derivedFrom }) => derivedFrom ?? [])]
  return new Set(all.map((name) => name.split('.')[0]!))
}
