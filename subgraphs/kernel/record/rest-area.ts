import type { CreatedWith } from './created-with.ts'
import type { ColumnName, RecordDefinition, RecordShape, StoredRow } from './definition.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A filter parameter of a REST list: its column and operator. */
export interface RestFilter<Name extends string = string> {
  readonly name: string
  readonly column: Name
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in'
}

export const createdAfter = { name: 'createdAfter', column: 'createdAt', operator: 'gt' } as const
export const updatedAfter = { name: 'updatedAfter', column: 'updatedAt', operator: 'gt' } as const
export const ids = { name: 'ids', column: 'id', operator: 'in' } as const

/** The description of a record type for its generated REST contract, in addition to its definition and resolver. */
export interface RestArea {
  readonly definition: RecordShape
  /** The path under `/v1/`. */
  readonly path: string
  /** The folder under `schema/rest/`. */
  readonly folder: string
  readonly filters: readonly RestFilter[]
  /** Fields of the graph that are no columns and that REST returns too. Their schemas are written by hand. */
  readonly derivedFields: readonly string[]
  /** The records are those of what a parameter of the path names, which is an argument of every operation. */
  readonly within: { readonly parameter: string; readonly argument: string } | null
  /** Records of another type that are created with a record. */
  readonly createsWith: CreatedWith | null
  /** Its records in words. Default: the end of the path. */
  readonly many?: string
  /** The only roles of users who may ask for aggregates. */
  readonly roles?: readonly string[]
}

interface RestOptions<T> extends Partial<Pick<RestArea, 'within' | 'createsWith'>> {
  readonly path: string
  /** Default: the path. */
  readonly folder?: string
  /** As `restFilters` takes them. */
  readonly filters?: readonly (ColumnName<T> | RestFilter<ColumnName<T>>)[]
  readonly derivedFields?: readonly string[]
}

/** A plain column name is a parameter with that name that filters by equality; for an enumerated column, by one or more values. */
export const restFilters = (definition: RecordShape, filters: readonly (string | RestFilter)[]): RestFilter[] =>
  filters.map((filter) =>
    typeof filter === 'string'
      ? { name: filter, column: filter, operator: definition.columns.byName.get(filter)?.kind === 'enum' ? 'in' : 'eq' }
      : filter,
  )

/** With it, `npm run schema` generates the REST contract of the resolver's standard operations. */
export const restArea = <T extends StoredRow>(
  definition: RecordDefinition<T>,
  { path, folder = path, filters = [], derivedFields = [], within = null, createsWith = null }: RestOptions<T>,
): RestArea => ({
  definition,
  path,
  folder,
  derivedFields,
  within,
  createsWith,
  filters: restFilters(definition, filters),
})
