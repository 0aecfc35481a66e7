import { tenantView } from '../../database/tenant-view.ts'
import { compareNumbers, type ExactNumber } from '../../json/exact-number.ts'
import type { RecordShape } from '../definition.ts'
import type { IdsOf, RowsInOrder } from '../list-sections.ts'
import { powerOfTwoFrom, windowRows } from '../list-window.ts'
import type { Order } from '../order.ts'
import type { TenantPredicate } from '../predicate.ts'
import { readSource } from '../read-source.ts'
import { isTotalOf } from './merged-value.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { rollupTable } from './rollup-tables.ts'

interface ListByTotal {
  readonly definition: RecordShape
  readonly predicate: TenantPredicate
  readonly order: Order
  readonly conditions: readonly string[]
  /** Whether the conditions are only those of all records of the organization that are not deleted. */
  readonly isOfAll: boolean
}

/** The records of a list by a rollup in three sections: those with a total above 0, without one, and with one below; null for another list. */
export function rowsByTotal(list: ListByTotal): RowsInOrder | null {
  const { rollupOfTotals: rollup } = list.order
  if (!rollup) return null
  return { has: list.isOfAll ? 'ALL' : 'FIRST', ids: (...of) => idsByTotal(list, rollup, ...of) }
}

/** Each record is looked up when it is its turn: `offset 0` keeps PostgreSQL from a join, whatever the statistics are. */
function idsByTotal(list: ListByTotal, rollup: CompiledRollup, ...[range, rows, values]: Parameters<IdsOf>): string {
  const { definition, predicate, order, conditions, isOfAll } = list
  const { cursor, cursorPath } = range
  const source = `${readSource(definition)} t`
  const organization = predicate.organization()
  const byTotal = order.ofTotals()
  const matching = (ids: string): string =>
    `select o.id from (${ids}) o where exists (select from ${source} where t.organization_id = ${organization} and t.id = o.id and ${conditions.join(' and ')} offset 0)`
  const withTotal = (sign: number, after: string | null): string => {
    const where = [isTotalOf(rollup, 'r', organization), `r.total ${sign > 0 ? '>' : '<'} 0`, ...(after ? [after] : [])]
    const ids = `select r.parent_id as id from ${tenantView(rollupTable)} r where ${where.join(' and ')} order by ${byTotal.sectionSql('r')}`
    return isOfAll ? matching(ids) : ids
  }
  const withoutTotal = (after: string | null): string => {
    const total = `select from ${tenantView(rollupTable)} r where ${isTotalOf(rollup, 'r', organization)} and r.parent_id = t.id and r.total <> 0`
    const where = [predicate.tenant(definition, 't'), `not exists (${total})`, ...(after ? [after] : [])]
    return `select t.id from ${source} where ${where.join(' and ')} order by ${order.sectionSql('t', 1)}`
  }
  const signs = order.terms[0]!.descending ? [1, 0, -1] : [-1, 0, 1]
  const last =
    cursor === null ? null : Math.sign(compareNumbers(order.positionOf(cursor, cursorPath)[0] as ExactNumber, 0))
  const sections = signs.slice(last === null ? 0 : signs.indexOf(last)).map((sign, index) => {
    const isCursors = cursor !== null && index === 0
    if (sign === 0) return withoutTotal(isCursors ? order.afterFirst(cursor, 't', values, cursorPath) : null)
    return withTotal(sign, isCursors ? byTotal.after(cursor, 'r', values, cursorPath) : null)
  })
  const limit = isOfAll ? powerOfTwoFrom(rows) : windowRows(range)
  const ids = `select o.id from (${sections.map((section) => `(${section} limit ${limit})`).join(' union all ')}) o`
  return isOfAll ? ids : matching(`${ids} limit ${limit}`)
}
