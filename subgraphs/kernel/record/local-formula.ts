import type { Formula } from '../formula/formula.ts'
import type { Column } from './column.ts'

/** SQL that computes the value of a formula over the fields of its own record. */
export const localSql =
  (formula: Formula) =>
  (alias: string): string =>
    `(${formula.toSql({ alias: () => alias })})`

/** SQL of what a column means, whether or not the value of a formula is stored. */
export const meaningSql = ({ formula, sql }: Column, alias: string): string =>
  formula?.isLocal ? localSql(formula)(alias) : sql(alias)
