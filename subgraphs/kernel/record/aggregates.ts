import type { ExactNumber } from '../json/exact-number.ts'
import type { AddendShape, ColumnName, ColumnReference, Condition, CustomFieldName, Value } from './addend.ts'
import type { Column } from './column.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { comparisonSql, operatorSql } from './operators.ts'
import type { Values } from './predicate.ts'

type NamesOf<T, V> = { [K in keyof T & string]: T[K] extends V | null ? K : never }[keyof T & string] | CustomFieldName

/** Builds the SQL of one aggregate from the rows of the record's table, and collects its columns and parameters. */
export class AggregateSql {
  /** Names of the columns that the aggregate reads. */
  readonly columns = new Set<string>()

  constructor(
    protected readonly shape: RecordShape,
    readonly values: Values,
    private readonly alias = 't',
  ) {}

  column(name: string): { readonly column: Column; readonly sql: string } {
    const column = columnOf(this.shape, name)
    this.columns.add(name)
    return { column, sql: column.sql(this.alias) }
  }

  /** The SQL of the sum of an addend; 0 without matching records. */
  total({ sum, count, where }: AddendShape): string {
    const condition = where ? ` filter (where ${conditionSql(this, where)})` : ''
    if (sum === undefined) return `count(${count === undefined ? '*' : this.#value(count)})${condition}`
    return `coalesce(sum(${this.#value(sum)})${condition}, 0)`
  }

  #value(value: Value<string>): string {
    if (typeof value === 'object') {
      return `extract(epoch from ${this.column(value.to).sql} - ${this.column(value.from).sql})`
    }
    const { column, sql } = this.column(value)
    // The sum of doubles depends on their order, the sum of numerics does not.
    return column.kind === 'number' ? `${sql}::numeric` : sql
  }
}

/** An SQL aggregate over records of the type T, for `figures(ctx, account, { total: count() })`. */
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

export function conditionSql(into: AggregateSql, condition: object): string {
  const parts = Object.entries(condition).map(([name, expected]: [string, unknown]) => {
    if (name === 'or') return `(${(expected as object[]).map((one) => conditionSql(into, one)).join(' or ')})`
    const operators = typeof expected === 'object' && expected !== null ? expected : { eq: expected }
    return Object.entries(operators)
      .map(([operator, operand]) => operatorOf(into, name, operator, operand))
      .join(' and ')
  })
  return `(${parts.length > 0 ? parts.join(' and ') : 'true'})`
}

/** The number of records, or of the records that match the condition. */
export const count = <T>(where?: Condition<NoInfer<T>>): Aggregate<T, number> => ({
  sql: (into) => `${into.total(where ? { where } : {})}::int8`,
})

/** The sum of a column; 0 when no record has a value. */
export const sum = <T>(name: NamesOf<NoInfer<T>, ExactNumber>): Aggregate<T, ExactNumber> => ({
  sql: (into) => into.total({ sum: name }),
})

/** The sum of two aggregates. */
export const plus = <T>(one: Aggregate<T, number>, other: Aggregate<T, number>): Aggregate<T, number> => ({
  sql: (into) => `(${one.sql(into)} + ${other.sql(into)})`,
})

/** The difference of two aggregates. */
export const minus = <T>(one: Aggregate<T, number>, other: Aggregate<T, number>): Aggregate<T, number> => ({
  sql: (into) => `(${one.sql(into)} - ${other.sql(into)})`,
})

const quotient = (dividend: string, divisor: string, decimals: number): string =>
  `round(${dividend}::numeric / nullif(${divisor}, 0), ${decimals})`

/** The average of a column; null when no record has a value. */
export const average = <T>(name: NamesOf<NoInfer<T>, ExactNumber>, decimals: number): Aggregate<T, ExactNumber> => ({
  sql: (into) => quotient(into.total({ sum: name }), into.total({ count: name }), decimals),
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
    quotient(
      into.total({ sum: { from, to } }),
      `${secondsOf[unit]} * ${into.total({ count: { from, to } })}`,
      decimals,
    ),
})

/** The quotient of two aggregates; null when the divisor is 0. */
export const ratio = <T>(
  dividend: Aggregate<T, number>,
  divisor: Aggregate<T, number>,
  decimals: number,
): Aggregate<T, number> => ({ sql: (into) => quotient(dividend.sql(into), divisor.sql(into), decimals) })

/** The number of records by each value of a column; records without a value are not counted. */
export interface CountBy<T> {
  readonly by: ColumnName<T>
}

export const countBy = <T>(by: ColumnName<NoInfer<T>>): CountBy<T> => ({ by })
