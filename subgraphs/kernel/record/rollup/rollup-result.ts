import type { RollupAggregate, RollupDefinition } from './rollup-definition.ts'

/** Decimals of an average. */
const averageDecimals = 10

/** Whether totals can be kept by adding differences. The least value cannot: the next one is not known when a record leaves. */
export const hasTotals = ({ aggregate }: Pick<RollupDefinition, 'aggregate'>): boolean =>
  aggregate !== 'MIN' && aggregate !== 'MAX'

/** The quotient is exact to all decimals that it is rounded to. */
const averageSql = (n: string, total: string): string =>
  `round((${total} + 0.${'0'.repeat(24)}) / nullif(${n}, 0), ${averageDecimals})`

/** The value that follows from the sums of `n` and `total`. */
export const resultSql = (aggregate: RollupAggregate, n: string, total: string): string =>
  aggregate === 'AVG' ? averageSql(n, total) : `coalesce(${total}, 0)`
