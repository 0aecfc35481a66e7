import type { FieldProblem } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { Addend, AddendShape } from './addend.ts'
import type { Amounts, AmountsShape } from './aggregate/aggregate-columns.ts'
import type { Column } from './column.ts'
import { Columns } from './columns.ts'
import { customFieldKey, customFieldsName } from './custom-field-column.ts'
import type { DerivedRows } from './derived/derived-rows.ts'
import type { AnyRecord, TrackedObject, Operation, RecordEvents } from './event-types.ts'
import type { DuplicateRules } from './duplicates/duplicate-rules.ts'
import type { LookupFrom } from './lookup/lookup.ts'
import type { Merged } from './merge/merged.ts'
import type { StateMachine } from './transitions.ts'

/** The columns that every stored row has. Most record classes extend `OrgRecord`, which has more. */
export interface StoredRow {
  id: string
  organizationId: string
}

/** A requested change that is not checked yet. */
export interface Draft<T extends StoredRow> {
  readonly operation: Operation
  /** The record before the change; null on create. */
  readonly previous: T | null
  /** The values that the caller requests to change. The caller must be allowed to write each of these fields. */
  readonly values: Partial<T>
  /** Values that the rules of the record type derive. Field permissions do not apply to them, and they override `values`. */
  readonly implied?: Partial<T>
  /**
   * The part of `implied` that `decide` did not add, where it added the others and all `events`: it decides again when a hook changes values.
   */
  readonly impliedBesides?: Partial<T>
  /** Refuse with VERSION_CONFLICT unless the record still has this version. */
  readonly expectedVersion?: number | null
  /**
   * Types of additional events of the same change, besides `<object>.<created|updated|deleted|restored>`. They are also written
   * when no column changes. The record then keeps its version, and a changed version is still refused with VERSION_CONFLICT.
   */
  readonly events?: readonly string[]
  /** The additional events replace the event of the operation instead of following it. */
  readonly isEventReplaced?: boolean
  /** The record is deleted because it was merged: what named it is moved, and neither restricts the deletion nor is cleared. */
  readonly isMerged?: boolean
  /** The records that were merged into this one. It gets a new version, whatever else changes. */
  readonly mergedIds?: readonly string[]
  /** The action in the audit log; default: the type of the event. */
  readonly action?: string
}

/** What the rules of a record type add to a requested change. */
export type Decided<T extends StoredRow> = Pick<Draft<T>, 'implied' | 'events'>

/** Returns those ids whose record exists and is visible to the caller. The subgraph that owns the record exports it. */
export type Reference = (ctx: RequestContext, ids: readonly string[]) => Promise<ReadonlySet<string>>

/** A relation to another record type, of this or another subgraph (`recordType`), for nested filters. */
export interface Relation {
  readonly to: () => RecordShape
  /** The column of this record that contains the id of the other record. Set either `by` or `from`. */
  readonly by?: string
  /** The column of the other record that contains the id of this record. */
  readonly from?: string
  /** Description of its field in the filter. */
  readonly description: string
}

/** The type of the records that ids name: one type, or that which another column, or another part of the same object, tells. */
export type NamedType =
  | string
  | {
      readonly kind: string
      /** What that column contains for records of this type; null if it cannot name any. */
      readonly kindOf: (object: string) => string | null
    }

export interface MergeShape {
  /** Flags that stay true if they are true in one of the merged records. */
  readonly keepsTrue?: readonly string[]
  /** Columns with the id of a parent, in which no record may be its own ancestor. */
  readonly hierarchies?: readonly string[]
  /** Takes the locks that other transactions take before those of the records. */
  readonly lock?: (ctx: RequestContext, ids: readonly string[]) => Promise<void>
}

/** A column with the id of the record of which a record is a detail, and the type of that record. */
export interface Master {
  readonly by: string
  readonly to: () => RecordShape
}

export interface RelatedVisibility<Name extends string = string> {
  readonly type: Name
  readonly id: Name
  readonly to: Readonly<Record<string, () => RecordShape>>
  /** It can be a record of a custom object, too, named `custom:site_visit`: in the shape of an organization, `to` has its custom objects. */
  readonly orCustomObject?: boolean
}

/** The part of a record definition that reads use, immutable. `RecordDefinition` adds the part that only writes use. */
export interface RecordShape extends TrackedObject {
  /** The decorated class: the GraphQL object type and the model of the table. */
  readonly entity: object
  readonly columns: Columns
  /** `schema.table`, quoted where needed. */
  readonly table: string
  /** The table for writes when `table` is a view. Columns that the view computes are `computed`. */
  readonly storedIn?: string
  /** The column that names the record type, when one table stores several. */
  readonly objectColumn?: string
  /** What that column contains; default: `object`. */
  readonly objectKey?: string
  /** The plan feature that this record type requires; without it every read and write is refused with 402. */
  readonly entitlement?: string
  /**
   * Columns of another record type, as `object.column`, of whose values these records consist. Every read by a caller whose profile hides one of them is
   * refused with 403. For record types without events of their own.
   */
  readonly partsOf?: readonly string[]
  /** Organizations may add rules to its writes (`kernel/extension`). */
  readonly isExtensible?: boolean
  /** Organizations may add custom fields to it. */
  readonly isCustomizable?: boolean
  /** Columns with user ids: with the visibility OWN or TEAM, these users see the record. Empty: the whole organization sees it. */
  readonly visibleBy: readonly string[]
  /** The record is visible when its parent record is visible and not deleted. `by` is the column with the id of the parent, `to` its type. */
  readonly visibleThrough?: { readonly by: string; readonly to: () => RecordShape }
  /**
   * The record is visible when the record that these columns name is visible and not deleted; where they are null, its owner alone sees it. `to` has
   * the record types by the values of the column `type`; none of them is visible through a related record itself.
   */
  readonly visibleThroughRelated?: RelatedVisibility
  /** A boolean column: only the owner sees a record in which it is false, whatever the visibility of the caller. The table needs `privateIndexes`. */
  readonly privateUnless?: string
  /**
   * The records of which the record is a detail, by the columns with their ids: it has no owner, and is visible when all of them are visible and not deleted.
   */
  readonly masters?: readonly Master[]
  /** What the definitions of the organization derive from the records, in the statement of every write; absent where there is nothing. */
  readonly derived?: readonly DerivedRows[]
  /** When records of this type are duplicates, by the rules of the organization; absent where there are none. */
  readonly duplicates?: DuplicateRules
  /** The lookups of the organization that name records of this type; absent where there are none. */
  readonly lookedUpBy?: readonly LookupFrom[]
  /** Columns that `search` compares with the text. */
  readonly searchable: readonly string[]
  /** The column that names a record in the results of the search across types; default: the first of `searchable`. */
  readonly title?: string
  /** The column that results show below the title, null for none; default: the next of `searchable`. */
  readonly subtitle?: string | null
  /** The table has the search text of these columns and its index (`searchIndex` of `record-table.ts`). */
  readonly hasSearchText?: boolean
  /** Columns with ids of other records, each with the function that checks the ids. A part of a structured column: `lineItems.productId`. */
  readonly references?: Readonly<Partial<Record<string, Reference>>>
  readonly relations?: Readonly<Record<string, Relation>>
  /**
   * Columns with ids of records, and the record type of the ids, where neither a relation nor `NamesRecord` tells it. A part of a structured column:
   * `participants.id`. Merges move these references, too.
   */
  readonly names?: Readonly<Partial<Record<string, NamedType>>>
  /** Its records can be merged (`record/merge`). */
  readonly merge?: MergeShape
  /** Columns that are unique among rows that are not deleted, by the name of their unique index. */
  readonly unique?: Readonly<Record<string, string>>
  /** An integer column that is numbered per organization from 1, without gaps. */
  readonly numbered?: string
  /** A text column with the number as people write it: the prefix and at least six digits, `Q-000123`. */
  readonly numberText?: { readonly column: string; readonly prefix: string }
  /** How its status changes, if it has one that not every change may set. */
  readonly states?: StateMachine<never>
  /** The maintained totals of the table (`maintained-totals.ts`); without them, totals and figures read the rows. */
  readonly totals?: TotalsShape
  /** Which columns are amounts in the currency of the record, and the day of the rate at which aggregates convert them. */
  readonly amounts?: AmountsShape
}

/** What the migration that calls `maintainedTotals` declares, by the names of the record. */
export interface TotalsShape {
  /** Columns with few values: there is one total for each combination of them. */
  readonly by: readonly string[]
  /** Columns with many values, each with totals of its own. */
  readonly separately?: readonly string[]
  /** What is summed up besides the number of records, by the name of the measure. */
  readonly measures?: Readonly<Record<string, AddendShape>>
}

/** `TotalsShape` with names that the compiler checks. */
export interface Totals<T> extends TotalsShape {
  readonly by: readonly ColumnName<T>[]
  readonly separately?: readonly ColumnName<T>[]
  readonly measures?: Readonly<Record<string, Addend<T>>>
}

/** The name of a column of this record; any other name is a compile error. */
export type ColumnName<T> = keyof T & string

/** The name of a column of this record or of a custom field: `customFields.serial`. */
export type ColumnPath<T> = ColumnName<T> | `customFields.${string}`

/** A relation by a column of this record. */
export interface RelationBy<T> extends Relation {
  readonly by: ColumnName<T>
  readonly from?: never
}

declare const isChecked: unique symbol

/** A relation by a column of the other record. Only `relationFrom` creates it, so that the compiler checks the column name. */
export interface RelationFrom extends Relation {
  readonly [isChecked]: true
}

export const relationFrom = <Other extends StoredRow>(
  to: () => RecordDefinition<Other>,
  from: ColumnName<Other>,
  description: string,
): RelationFrom => ({ to, from, description }) as Relation as RelationFrom

export interface RecordDefinition<T extends StoredRow> extends RecordShape {
  readonly entity: abstract new () => T
  readonly visibleBy: readonly ColumnName<T>[]
  readonly visibleThrough?: { readonly by: ColumnName<T>; readonly to: () => RecordShape }
  readonly visibleThroughRelated?: RelatedVisibility<ColumnName<T>>
  readonly privateUnless?: ColumnName<T>
  readonly searchable: readonly ColumnPath<T>[]
  readonly title?: ColumnName<T>
  readonly subtitle?: ColumnName<T> | null
  readonly references?: Readonly<Partial<Record<ColumnName<T> | `${ColumnName<T>}.${string}`, Reference>>>
  readonly relations?: Readonly<Record<string, RelationBy<T> | RelationFrom>>
  readonly names?: Readonly<Partial<Record<ColumnName<T> | `${ColumnName<T>}.${string}`, NamedType>>>
  readonly merge?: MergeShape & {
    readonly keepsTrue?: readonly ColumnName<T>[]
    readonly hierarchies?: readonly ColumnName<T>[]
  }
  /** Changes records of this type that name merged records, before they are moved, where two of them must not name one record. */
  readonly beforeMoved?: (ctx: RequestContext, merged: Merged) => Promise<void>
  readonly unique?: Readonly<Record<string, ColumnName<T>>>
  readonly numbered?: ColumnName<T>
  readonly numberText?: { readonly column: ColumnName<T>; readonly prefix: string }
  readonly states?: StateMachine<T>
  readonly totals?: Totals<T>
  readonly amounts?: Amounts<T>
  readonly events: RecordEvents<T, AnyRecord>
  readonly audit?: TrackedObject<T>['audit']
  /**
   * Values that follow from the other values at every write, for example a name from its parts. Must not read the database. `given`
   * are the values of this change, `zone` the time zone of the organization where `calculatesDays` asks for it, and otherwise UTC.
   */
  readonly calculated?: (next: T, previous: T | null, given: Partial<T>, zone: string) => Partial<T>
  /** Whether a value that `calculated` returns for the record depends on the days of moments. */
  readonly calculatesDays?: (next: T) => boolean
  /**
   * Decides on further values and events of every create and update that a caller requests, again after a concurrent change. May read
   * the database.
   */
  readonly decide?: (ctx: RequestContext, values: Partial<T>, previous: T | null) => Promise<Decided<T>>
  /** Throws 403 unless the caller may change this record, where more is needed than to see it. Whatever the state of the record. */
  readonly requireRight?: (ctx: RequestContext, previous: T) => void
  /** Checks every write. Must not read the database. */
  readonly invariants?: (next: T, previous: T | null) => FieldProblem[]
  /** Checks every write; may read the database. */
  readonly checks?: (ctx: RequestContext, next: T, previous: T | null) => Promise<FieldProblem[]>
  /** `decide` and `checks` read no records of this type, so that many are decided before the first of them is written. */
  readonly decidesAlone?: true
  /** Reads what `decide` and `checks` read for each of many records that are given these values, so that `readOnce` knows it. */
  readonly readsTogether?: (ctx: RequestContext, given: readonly Partial<T>[]) => Promise<void>
  readonly serializedRules?: readonly SerializedRule<T>[]
  /** Columns that an organization decides for itself also where an app brought the record (`managed-by.ts`). */
  readonly localColumns?: readonly ColumnName<T>[]
}

/**
 * A rule between several records of a type, for example that a hierarchy has no cycle. Two concurrent changes could break it
 * together, so the changes that it concerns wait for each other in an organization.
 */
export interface SerializedRule<T extends StoredRow> {
  /** Whether this change can break the rule. */
  readonly concerns: (ctx: RequestContext, next: T, previous: T | null) => boolean | Promise<boolean>
  /**
   * SQL condition with the placeholder of the organization's id: without it, the rule does not hold in the organization. The statement of the
   * change evaluates it, so that most organizations need neither another statement nor a lock. `enforce` must check it as well.
   */
  readonly holdsIf?: (organization: string) => string
  /** Of the rule that no two live records have the same value of this kind: the changes of many records are decided together by it. */
  readonly distinct?: DistinctValues<T>
  /** Runs in the transaction before the lock of the rules: it takes a lock that all transactions must take before those of rules. */
  readonly before?: (ctx: RequestContext) => Promise<void>
  /** Runs in the transaction of the change, before the record is written. It may change other records of the type. */
  readonly enforce: (ctx: RequestContext, next: T, previous: T | null) => Promise<FieldProblem[]>
}

/** Values of which no two live records have the same. */
export interface DistinctValues<T extends StoredRow> {
  /** The value of a record, or of the values that are given for one; null without one. */
  readonly valueOf: (values: Partial<T>) => string | null
  /** The ids of live records with these values, of each value at most `distinctIdsMax`. */
  readonly having: (ctx: RequestContext, values: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
}

/** When so many live records have a value, there may be more. */
export const distinctIdsMax = 10

/** A record definition with the columns of the decorated class. */
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

/** The record through which a record with these values is visible; null if there is none. */
export function parentOf(
  { visibleThrough, visibleThroughRelated: related }: RecordShape,
  values: Readonly<Record<string, unknown>>,
): { readonly shape: RecordShape; readonly id: unknown } | null {
  if (visibleThrough) return { shape: visibleThrough.to(), id: values[visibleThrough.by] }
  const to = related?.to[String(values[related.type])]
  return to ? { shape: to(), id: values[related!.id] } : null
}

interface Parent {
  readonly shape: RecordShape
  readonly id: unknown
}

/** The value of a column in a record, or among columns that were read by their names. */
function valueIn(values: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name in values) return values[name]
  const key = customFieldKey(name)
  return key === null ? undefined : (values[customFieldsName] as Readonly<Record<string, unknown>> | undefined)?.[key]
}

/** The records through which a record with these values is visible, all of them together. */
export function parentsIn(shape: RecordShape, values: Readonly<Record<string, unknown>>): readonly Parent[] {
  if (shape.masters) return shape.masters.map(({ by, to }) => ({ shape: to(), id: valueIn(values, by) }))
  const parent = parentOf(shape, values)
  return parent ? [parent] : []
}

export const hasColumn = (definition: RecordShape, name: string): boolean => definition.columns.byName.has(name)
