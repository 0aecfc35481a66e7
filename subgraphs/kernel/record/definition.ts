import type { FieldProblem } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import { columnsOf, type Column } from './column.ts'
import type { TrackedObject, Operation, RecordEvents } from './event-types.ts'

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

/** What reads need to know of a record; `RecordDefinition` adds what writes need. */
export interface RecordShape extends TrackedObject {
  readonly entity: object
  /** `schema.table`, quoted where needed. */
  readonly table: string
  /** The table that is written, where `table` is a view. Columns that the view computes are `computed`. */
  readonly storedIn?: string
  /** The feature of the plan that records of this kind need; without it they answer 402. */
  readonly entitlement?: string
  /** Columns whose user sees the record under OWN and TEAM. Empty: everybody in the organization sees it. */
  readonly visibleBy: readonly string[]
  /** A part of another record is seen by whoever sees that record. */
  readonly visibleThrough?: { readonly by: string; readonly to: () => RecordShape }
  /** Columns that `search` looks into. */
  readonly searchable: readonly string[]
  /** Columns that hold ids of other records, and who knows them. */
  readonly references?: Readonly<Record<string, Reference>>
  readonly relations?: Readonly<Record<string, Relation>>
  /** Unique columns among live rows, by the name of the index that guards them. */
  readonly unique?: Readonly<Record<string, string>>
  /** An integer column that counts up per organization without gaps. */
  readonly numbered?: string
  /** No trigger keeps the number of its rows, so that a list without filter is counted like any other. */
  readonly isCountedAnew?: boolean
}

export interface RecordDefinition<T extends StoredRow> extends RecordShape {
  readonly entity: abstract new () => T
  readonly events: RecordEvents<T, object>
  readonly audit?: TrackedObject<T>['audit']
  readonly initial?: (ctx: RequestContext) => Partial<T>
  /** Rules of the type that hold for every write; pure. */
  readonly invariants?: (next: T, previous: T | null) => FieldProblem[]
  /** Rules that need to look something up. */
  readonly checks?: (ctx: RequestContext, next: T, previous: T | null) => Promise<FieldProblem[]>
}

export const isRecordShape = (source: TrackedObject): source is RecordShape => 'entity' in source

export interface Layout {
  readonly columns: readonly Column[]
  readonly byName: ReadonlyMap<string, Column>
  /** Columns of the graph. */
  readonly shown: readonly Column[]
  /** Always read: ids, which edges and visibility need. */
  readonly ids: readonly Column[]
}

const layouts = new WeakMap<object, Layout>()

/** The columns of a definition, read once. */
export function layoutOf(definition: RecordShape): Layout {
  let layout = layouts.get(definition.entity)
  if (!layout) {
    const columns = columnsOf(definition.entity)
    layout = {
      columns,
      byName: new Map(columns.map((column) => [column.name, column])),
      shown: columns.filter((column) => !column.internal),
      ids: columns.filter((column) => column.kind === 'id'),
    }
    layouts.set(definition.entity, layout)
  }
  return layout
}

export function columnOf(definition: RecordShape, name: string): Column {
  const column = layoutOf(definition).byName.get(name)
  if (!column) throw new Error(`${definition.object} has no column ${name}`)
  return column
}

export const has = (definition: RecordShape, name: string): boolean => layoutOf(definition).byName.has(name)
