import { tenantView } from '../../database/tenant-view.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { hasTotals, resultSql } from './rollup-result.ts'
import { rollupTable } from './rollup-tables.ts'

// Lists are sorted by merged totals, which an index has in order; the differences of the last second are not in them. The answer shows the exact values.

/** Whether lists are sorted by merged totals. */
export const hasMergedOrder = ({ definition }: CompiledRollup): boolean => definition.isReady && hasTotals(definition)

/** Whether the index of totals has this order: averages are not in it. */
export const isOrderOfTotals = ({ definition: { aggregate } }: CompiledRollup): boolean => aggregate !== 'AVG'

const valueOf = ({ definition: { aggregate } }: CompiledRollup, row: string): string =>
  aggregate === 'AVG' ? resultSql(aggregate, `${row}.n`, `${row}.total`) : `coalesce(${row}.total, 0)`

/** SQL conditions that select the rows of the totals of a rollup; `row` is their alias. */
export const isTotalOf = ({ definition: { id } }: CompiledRollup, row: string, organization: string): string =>
  `${row}.organization_id = ${organization} and ${row}.rollup_id = ${sqlLiteral(id)}::uuid`

/** SQL of the value that follows from the merged total of the record with the alias. */
export function mergedValueSql(rollup: CompiledRollup, alias: string): string {
  const value = `(select ${valueOf(rollup, 'r')} from ${rollupTable} r where ${isTotalOf(rollup, 'r', `${alias}.organization_id`)} and r.parent_id = ${alias}.id)`
  return rollup.definition.aggregate === 'AVG' ? value : `coalesce(${value}, 0)`
}

/** The same value from a join, where it is read of very many records. */
export const joinedValue = (
  rollup: CompiledRollup,
  alias: string,
  row: string,
): { readonly join: string; readonly sql: string } => ({
  join: ` left join ${tenantView(rollupTable)} ${row} on ${isTotalOf(rollup, row, `${alias}.organization_id`)} and ${row}.parent_id = ${alias}.id`,
  sql: valueOf(rollup, row),
})
