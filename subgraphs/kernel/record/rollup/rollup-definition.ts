export type RollupAggregate = 'COUNT' | 'SUM' | 'MIN' | 'MAX' | 'AVG'

/** How the value of a custom field follows from the records that refer to its record. Plain data. */
export interface RollupDefinition {
  /** The id of the field, under which its totals are stored: a name may be that of another field later. */
  readonly id: string
  /** The type of the records that are aggregated: `opportunity`. */
  readonly child: string
  /** The column of these records that has the id of the record with the field. */
  readonly relation: string
  readonly aggregate: RollupAggregate
  /** The column whose values are aggregated; null for COUNT. */
  readonly field: string | null
  /** Only records that meet these conditions count. */
  readonly conditions: unknown
  readonly logic: unknown
  /** The totals or values of all records are there, so that reads may use them. Writes write theirs from the beginning. */
  readonly isReady: boolean
}

/** A rollup whose child type, columns and conditions exist, as SQL. */
export interface CompiledRollup {
  readonly definition: RollupDefinition
  /** The kind of the result. */
  readonly kind: 'money' | 'date' | 'timestamp'
  /** The table with the child records. */
  readonly childTable: string
  /** SQL of the ids of the child records of a parent, by an index; null where the table has an index of them. */
  readonly childIds: ((organization: string, parent: string) => string) | null
  /** SQL of the id of the parent to which a child record contributes. */
  readonly parentSql: (alias: string) => string
  /** SQL of the value that a child record contributes; 1 for COUNT. */
  readonly valueSql: (alias: string) => string
  /** SQL condition that a record of the table of the child contributes. */
  readonly conditionSql: (alias: string) => string
  /** SQL of the value for the record with the alias. */
  readonly sql: (alias: string) => string
}
