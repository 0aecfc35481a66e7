import type { AggregateSql } from '../aggregates.ts'
import type { Measured } from './aggregate-request.ts'
import { ofUnitsSql } from './rate-periods.ts'

/** What is computed over a column: sum, smallest and largest value, and the number of values, which tells how many have no rate. */
type Figure = 's' | 'l' | 'h' | 'c'

const aggregates = { s: 'sum', l: 'min', h: 'max' } as const

/** A column of the statement with a figure, such as `bs0`: of the first measured column the sum in the base currency. */
export interface FigureColumn {
  readonly name: string
  readonly figure: Figure
  readonly index: number
  readonly measured: Measured
  readonly isInBase: boolean
}

/**
 * The columns with the figures, the same in each step of the statement. Figures over amounts are those in the base currency, and in their own as well if the
 * answer has them by currency.
 */
export const figureColumns = (measured: readonly Measured[], hasByCurrency: boolean): FigureColumn[] =>
  measured.flatMap((one, index) => {
    const { isAmount, isSummed, isLowest, isHighest } = one
    const column = (figure: Figure, isInBase: boolean): FigureColumn => ({
      name: `${isInBase ? 'b' : ''}${figure}${index}`,
      figure,
      index,
      measured: one,
      isInBase,
    })
    const values = ([isSummed && 's', isLowest && 'l', isHighest && 'h'] as const).filter((figure) => figure !== false)
    return [
      ...(isAmount && !hasByCurrency ? [] : values.map((figure) => column(figure, false))),
      ...(isAmount || isSummed ? [column('c', false)] : []),
      ...(isAmount ? [...values, 'c' as const].map((figure) => column(figure, true)) : []),
    ]
  })

/** The SQL of a figure over several rows that have it already. */
export const togetherSql = ({ name, figure }: FigureColumn): string =>
  figure === 'c' ? `sum(${name})::int8` : `${aggregates[figure]}(${name})`

/** The SQL of a figure over values, of which each has a rate in units if it is an amount. An amount without a rate is in none in the base currency. */
export function valuesSql({ figure, isInBase, measured }: FigureColumn, value: string): string {
  const { kind, nullable } = measured.column
  if (figure === 'c') {
    if (!isInBase) return `count(${nullable ? value : '*'})::int8`
    return `count(rate)${nullable ? ` filter (where ${value} is not null)` : ''}::int8`
  }
  if (isInBase) return ofUnitsSql(`${aggregates[figure]}(${value} * rate)`)
  // The sum of doubles depends on their order, the sum of numerics does not.
  return `${aggregates[figure]}(${value}${figure === 's' && kind === 'number' ? '::numeric' : ''})`
}

/** The SQL of a figure over maintained totals, which have sums and numbers of values only. */
export function totalsSql({ figure, measured }: FigureColumn, into: AggregateSql): string {
  const { name, nullable } = measured.column
  return figure === 's' ? into.total({ sum: name }) : `${into.total(nullable ? { count: name } : {})}::int8`
}

/** The SQL of a figure from its total in one currency and the rate of that. */
export function convertedSql({ figure, index, name, isInBase }: FigureColumn): string {
  if (!isInBase) return name
  return figure === 's' ? `s${index} * rate` : `case when rate is null then 0 else c${index} end::int8`
}
