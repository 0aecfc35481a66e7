import type { FieldProblem } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { Column } from './column.ts'
import { Columns } from './columns.ts'
import type { AnyRecord, TrackedObject, Operation, RecordEvents } from './event-types.ts'

/** What every stored row has; most are an `OrgRecord`. */
export interface StoredRow {
  id: string
  organizationId: string
}

/** A change that is wanted, before anything checked it. */
export interface Draft<T extends StoredRow> {
  readonly operation: Operation
  /** The record as it is; null on create. */
  readonly previous: T | null
  /** Only what is to change, as the caller asks for it: the caller must be allowed to write each of these fields. */
  readonly values: Partial<T>
  /** What follows from it by the rules of the type, whoever may write those fields; stands above `values`. */
  readonly implied?: Partial<T>
  /** Refuse with VERSION_CONFLICT unless the record still has this version. */
  readonly expectedVersion?: number | null
  /**
   * Types of further events of the same change, beside `<object>.<created|updated|deleted|restored>`. They are written also
   * where nothing else changes: then the record keeps its version, and must still have it.
   */
  readonly events?: readonly string[]
  /** What the audit log calls the change, where that is not the type of its event. */
  readonly action?: string
}

/** Tells which of these ids exist and may be seen by the caller. Exported by the subgraph that owns the record. */
export type Reference = (ctx: RequestContext, ids: readonly string[]) => Promise<ReadonlySet<string>>

/** How a record points at another one of the same subgraph; nested filters follow it. */
export interface Relation {
  readonly to: () => RecordShape
  /** The column on this record that holds the other's id; or the column on the other that holds this one's. */
  readonly by?: string
  readonly from?: string
}

/** What reads need to know of a record: an immutable value. `RecordDefinition` adds what writes need. */
export interface RecordShape extends TrackedObject {
  /** The decorated class: the type in the graph and the model of the table. */
  readonly entity: object
  readonly columns: Columns
  /** `schema.table`, quoted where needed. */
  readonly table: string
  /** The table that is written, where `table` is a view. Columns that the view computes are `computed`. */
  readonly storedIn?: string
  /** The column that says the kind of a row, where a table has records of several kinds: it holds `object`. */
  readonly objectColumn?: string
  /** The feature of the plan that records of this kind need; without it they answer 402. */
  readonly entitlement?: string
  /** Columns whose user sees the record under OWN and TEAM. Empty: everybody in the organization sees it. */
  readonly visibleBy: readonly string[]
  /** A part of another record is seen by whoever sees that record. */
  readonly visibleThrough?: { readonly by: string; readonly to: () => RecordShape }
  /** Columns that `search` looks into. */
  readonly searchable: readonly string[]
  /** Columns that hold ids of other records, and who knows them. */
  readonly references?: Readonly<Partial<Record<string, Reference>>>
  readonly relations?: Readonly<Record<string, Relation>>
  /** Unique columns among live rows, by the name of the index that guards them. */
  readonly unique?: Readonly<Record<string, string>>
  /** An integer column that counts up per organization without gaps. */
  readonly numbered?: string
  /** False where no trigger maintains the number of its rows: a list without filter is then counted like any other. */
  readonly maintainedCount?: boolean
}

/** The name of a column of this record: a name that it does not have does not compile. */
export type ColumnName<T> = keyof T & string

/** A column of this record, or a custom field: `customFields.serial`. */
export type ColumnPath<T> = ColumnName<T> | `customFields.${string}`

/** A relation through a column of this record. */
export interface RelationBy<T> extends Relation {
  readonly by: ColumnName<T>
  readonly from?: never
}

declare const isChecked: unique symbol

/** A relation through a column of the other record; `relationFrom` makes it, so that this name is checked as well. */
export interface RelationFrom extends Relation {
  readonly [isChecked]: true
}

export const relationFrom = <Other extends StoredRow>(
  to: () => RecordDefinition<Other>,
  from: ColumnName<Other>,
): RelationFrom => ({ to, from }) as Relation as RelationFrom

export interface RecordDefinition<T extends StoredRow> extends RecordShape {
  readonly entity: abstract new () => T
  readonly visibleBy: readonly ColumnName<T>[]
  readonly visibleThrough?: { readonly by: ColumnName<T>; readonly to: () => RecordShape }
  readonly searchable: readonly ColumnPath<T>[]
  readonly references?: Readonly<Partial<Record<ColumnName<T>, Reference>>>
  readonly relations?: Readonly<Record<string, RelationBy<T> | RelationFrom>>
  readonly unique?: Readonly<Record<string, ColumnName<T>>>
  readonly numbered?: ColumnName<T>
  readonly events: RecordEvents<T, AnyRecord>
  readonly audit?: TrackedObject<T>['audit']
  /** Rules of the type that hold for every write; pure. */
  readonly invariants?: (next: T, previous: T | null) => FieldProblem[]
  /** Rules that need to look something up. */
  readonly checks?: (ctx: RequestContext, next: T, previous: T | null) => Promise<FieldProblem[]>
}

/** The definition of the record that a decorated class declares. */
export const defineRecord = <T extends StoredRow>(
  entity: abstract new () => T,
  definition: Omit<RecordDefinition<T>, 'entity' | 'columns'>,
): RecordDefinition<T> => ({ ...definition, entity, columns: Columns.of(entity) })

export const isRecordShape = (source: TrackedObject): source is RecordShape => 'columns' in source

export function columnOf(definition: RecordShape, name: string): Column {
  const column = definition.columns.byName.get(name)
  if (!column) throw new Error(`${definition.object} has no column ${name}`)
  return column
}

export const has = (definition: RecordShape, name: string): boolean => definition.columns.byName.has(name)
