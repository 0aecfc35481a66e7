import type { ColumnName, RecordDefinition, RecordShape, StoredRow } from './definition.ts'

/** A query parameter of a REST list: the column it compares, and how. */
export interface RestFilter<Name extends string = string> {
  readonly name: string
  readonly column: Name
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in'
}

export const createdAfter = { name: 'createdAfter', column: 'createdAt', operator: 'gt' } as const
export const updatedAfter = { name: 'updatedAfter', column: 'updatedAt', operator: 'gt' } as const
export const ids = { name: 'ids', column: 'id', operator: 'in' } as const

/** What the printed REST contract of a record type needs beside its definition and the operations of its resolver. */
export interface RestArea {
  readonly definition: RecordShape
  /** The path below `/v1/`, and the folder below `schema/rest/`. */
  readonly path: string
  readonly filters: readonly RestFilter[]
  /** Columns that `sortBy` does not offer, although they could be sorted by. */
  readonly unsorted: readonly string[]
}

interface RestOptions<T> {
  readonly path: string
  /** A column alone filters by equality under its own name. */
  readonly filters?: readonly (ColumnName<T> | RestFilter<ColumnName<T>>)[]
  readonly unsorted?: readonly ColumnName<T>[]
}

/** Has `npm run schema` print the REST contract of the standard operations that the resolver offers. */
export const restArea = <T extends StoredRow>(
  definition: RecordDefinition<T>,
  { path, filters = [], unsorted = [] }: RestOptions<T>,
): RestArea => ({
  definition,
  path,
  filters: filters.map((filter) =>
    typeof filter === 'string' ? { name: filter, column: filter, operator: 'eq' } : filter,
  ),
  unsorted,
})
