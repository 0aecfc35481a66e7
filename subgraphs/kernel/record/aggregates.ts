import type { ExactNumber } from '../json/exact-number.ts'
import type { Column } from './column.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { comparisonSql, operatorSql } from './operators.ts'
import type { Values } from './predicate.ts'

type CustomFieldName = `customFields.${string}`

/** The name of a column of a record, or of a custom field. */
export type ColumnName<T> = (keyof T & string) | CustomFieldName

type NamesOf<T, V> = { [K in keyof T & string]: T[K] extends V | null ? K : never }[keyof T & string] | CustomFieldName

/** Compares with another column of the same row. */
export interface ColumnReference<T> {
  readonly column: ColumnName<T>
}

/** Filter operators; all of them must match. */
interface Operators<T, V> {
  readonly eq?: NonNullable<V>
  readonly ne?: NonNullable<V>
  readonly in?: readonly NonNullable<V>[]
  readonly notIn?: readonly NonNullable<V>[]
  readonly gt?: NonNullable<V> | ColumnReference<T>
  readonly gte?: NonNullable<V> | ColumnReference<T>
  readonly lt?: NonNullable<V> | ColumnReference<T>
  readonly lte?: NonNullable<V> | ColumnReference<T>
  readonly isNull?: boolean
}

type ConditionOn<T, V> = Extract<V, string | number | boolean> | Operators<T, V>

/** Selects the records of an aggregate: all members must match, and at least one of `or`. A plain value means equality. */
export type Condition<T> = { readonly [K in keyof T & string]?: ConditionOn<T, T[K]> } & {
  readonly [K in CustomFieldName]?: ConditionOn<T, string | number | boolean>
} & { readonly or?: readonly Condition<T>[] }

/** Builds the SQL of one aggregate, and collects its columns and parameters. */
export class AggregateSql {
  /** Names of the columns that the aggregate reads. */
  readonly columns = new Set<string>()

  constructor(
    private readonly shape: RecordShape,
    readonly values: Values,
  ) {}

  column(name: string): { readonly column: Column; readonly sql: string } {
    const column = columnOf(this.shape, name)
    this.columns.add(name)
    return { column, sql: column.sql('t') }
  }
}

/** An SQL aggregate over records of the type T, for `aggregate(ctx, account, { total: count() })`. */
export interface Aggregate<T, R = unknown> {
  readonly sql: (into: AggregateSql) => string
  /** Never set; it makes aggregates of different record types incompatible for the compiler. */
  readonly of?: (record: T) => R
}

const isReference = (operand: unknown): operand is ColumnReference<unknown> =>
  typeof operand === 'object' && operand !== null && 'column' in operand

function operatorOf(into: AggregateSql, name: string, operator: string, operand: unknown): string {
  const { column, sql } = into.column(name)
  if (!isReference(operand)) return operatorSql(column, sql, operator, operand, into.values)
  return comparisonSql(sql, operator, into.column(operand.column).sql)
}

function conditionSql<T>(into: AggregateSql, condition: Condition<T>): string {
  const parts = Object.entries(condition).map(([name, expected]: [string, unknown]) => {
    if (name === 'or') return `(${(expected as Condition<T>[]).map((one) => conditionSql(into, one)).join(' or ')})`
    const operators = typeof expected === 'object' && expected !== null ? expected : { eq: expected }
    return Object.entries(operators)
      .map(([operator, operand]) => operatorOf(into, name, operator, operand))
      .join(' and ')
  })
  return `(${parts.length > 0 ? parts.join(' and ') : 'true'})`
}

/** The number of records, or of the records that match the condition. */
export const count = <T>(condition?: Condition<NoInfer<T>>): Aggregate<T, number> => ({
  sql: (into) => `count(*)${condition ? ` filter (where ${conditionSql(into, condition)})` : ''}::int8`,
})

/** The sum of a column; 0 when no record has a value. */
export const sum = <T>(name: NamesOf<NoInfer<T>, ExactNumber>): Aggregate<T, ExactNumber> => ({
  sql: (into) => `coalesce(sum(${into.column(name).sql}), 0)`,
})

const rounded = (sql: string, decimals: number): string => `round((${sql})::numeric, ${decimals})`

/** The average of a column; null when no record has a value. */
export const average = <T>(name: NamesOf<NoInfer<T>, ExactNumber>, decimals: number): Aggregate<T, ExactNumber> => ({
  sql: (into) => rounded(`avg(${into.column(name).sql})`, decimals),
})

const secondsOf = { minutes: 60, hours: 3600 } as const

/** The average duration between two timestamps of the same record; null when no record has both. */
export const averageTime = <T>(
  from: ColumnName<NoInfer<T>>,
  to: ColumnName<NoInfer<T>>,
  unit: keyof typeof secondsOf,
  decimals: number,
): Aggregate<T, number> => ({
  sql: (into) =>
    rounded(
      `avg(extract(epoch from ${into.column(to).sql} - ${into.column(from).sql}) / ${secondsOf[unit]})`,
      decimals,
    ),
})

/** The share of records matching `of` that also match `part`, from 0 to 1; null when no record matches `of`. */
export const share = <T>(
  part: Condition<NoInfer<T>>,
  of: Condition<NoInfer<T>>,
  decimals: number,
): Aggregate<T, number> => ({
  sql(into) {
    const whole = conditionSql(into, of)
    const some = `count(*) filter (where ${conditionSql(into, part)} and ${whole})`
    return rounded(`${some}::numeric / nullif(count(*) filter (where ${whole}), 0)`, decimals)
  },
})
