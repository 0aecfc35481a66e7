import { tenantView } from '../../database/tenant-view.ts'
import { compareNumbers, type ExactNumber } from '../../json/exact-number.ts'
import { isTotalOf } from './merged-value.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { hasTotals, resultSql } from './rollup-result.ts'
import { rollupDeltaTable, rollupTable } from './rollup-tables.ts'

const zeroTo = (operand: unknown): number => compareNumbers(0, operand as ExactNumber)

/** The operators that totals answer, each with whether it holds for 0, which is the value of a parent without totals. */
const holdsForZero: Readonly<Record<string, (operand: unknown) => boolean>> = {
  eq: (operand) => zeroTo(operand) === 0,
  in: (operand) => (operand as readonly unknown[]).some((one) => zeroTo(one) === 0),
  gt: (operand) => zeroTo(operand) > 0,
  gte: (operand) => zeroTo(operand) >= 0,
  lt: (operand) => zeroTo(operand) < 0,
  lte: (operand) => zeroTo(operand) <= 0,
}

/**
 * SQL of the ids of the parents for which an operator can hold: those for whose merged total it holds, which an index gives, and those with open differences. Null where
 * it can hold for parents without totals, and for a rollup without totals. `compared` is the SQL of the operator for the SQL of a value.
 */
export function parentsWith(
  rollup: CompiledRollup,
  operator: string,
  operand: unknown,
  organization: string,
  compared: (value: string) => string,
): string | null {
  const { definition } = rollup
  const { aggregate, isReady } = definition
  const holds = Object.hasOwn(holdsForZero, operator) ? holdsForZero[operator]! : null
  if (!isReady || !hasTotals(definition) || !holds || (aggregate !== 'AVG' && holds(operand))) return null
  const of = (alias: string): string => isTotalOf(rollup, alias, organization)
  // The index has the totals that are not 0, for which the operator does not hold.
  const condition =
    aggregate === 'AVG' ? compared(resultSql(aggregate, 'r.n', 'r.total')) : `r.total <> 0 and ${compared('r.total')}`
  // Read through the tenant's views: row-level security would keep PostgreSQL from using the index for numbers.
  return `select r.parent_id from ${tenantView(rollupTable)} r where ${of('r')} and ${condition}
    union all select d.parent_id from ${tenantView(rollupDeltaTable)} d where ${of('d')}`
}
