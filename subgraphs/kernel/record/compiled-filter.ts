import type { ValueCondition } from './value-index/value-range.ts'

/** A compiled filter. All of its conditions are combined with `and`. */
export interface CompiledFilter {
  /** Conditions `column = value` on indexed columns and on the parent, by the column: its index gives the rows in the order of creation. */
  readonly equalities: ReadonlyMap<string, string>
  readonly others: readonly string[]
  /** The conditions that are a range of values of one column, by the column. They are among the others, too. */
  readonly ranges: ReadonlyMap<string, string>
  /** Conditions on custom fields that the index of values answers, too. All records that match have a row for each of them. */
  readonly inValueIndex: readonly ValueCondition[]
  /** SQL of the ids of records, each with all for which a condition on a rollup holds, and with some others. */
  readonly candidates: readonly string[]
  /** Whether what the index of values answers are all conditions. */
  readonly isInValueIndexOnly: boolean
  /** Whether the filter names the ids of the records. */
  readonly isByIds: boolean
  /** The columns of the record that the filter reads, when it reads nothing else; null with relations and custom fields. */
  readonly columns: ReadonlySet<string> | null
}
