import type { AddendShape } from './addend.ts'
import { AggregateSql, conditionSql } from './aggregates.ts'
import type { TotalsShape } from './definition.ts'
import { measureColumn, withValueColumn, type WithTotals } from './maintained-totals.ts'
import { Values, type TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'

/**
 * Builds the SQL of an aggregate from maintained totals. An addend that they do not contain becomes a subquery of its own, with
 * its condition in the `where` clause, so that an index can answer it.
 */
export class TotalsSql extends AggregateSql {
  /** True when an addend reads every row of the record's table. */
  readsEveryRow = false
  /** True when an addend is a subquery, which does not have the conditions of a filter. */
  hasSubquery = false

  constructor(
    private readonly definition: WithTotals,
    private readonly predicate: TenantPredicate,
  ) {
    super(definition, predicate.values)
  }

  override total({ where = {}, ...value }: AddendShape): string {
    const { by } = this.definition.totals
    const members = Object.entries(where)
    const isGrouped = ([name, expected]: [string, unknown]) =>
      [...columnsOf(this.definition, { [name]: expected })].every((column) => by.includes(column))
    const other = members.filter((member) => !isGrouped(member))
    const measured = measureOf(this.definition, {
      ...value,
      ...(other.length > 0 && { where: Object.fromEntries(other) }),
    })
    if (!measured) return this.#subquery(where, value)
    const grouped = Object.fromEntries(members.filter(isGrouped))
    const condition = other.length < members.length ? ` filter (where ${conditionSql(this, grouped)})` : ''
    return `coalesce(sum(t.${measured})${condition}, 0)`
  }

  #subquery(where: object, value: AddendShape): string {
    const rows = new AggregateSql(this.definition, this.predicate.values, 's')
    this.hasSubquery = true
    if (Object.keys(where).length === 0) this.readsEveryRow = true
    return `(select ${rows.total(value)} from ${readSource(this.definition)} s where ${this.predicate.live(this.definition, 's')} and ${conditionSql(rows, where)})`
  }
}

function columnsOf(definition: WithTotals, condition: object): ReadonlySet<string> {
  const into = new AggregateSql(definition, new Values())
  conditionSql(into, condition)
  return into.columns
}

function addendKeyOf(definition: WithTotals, addend: AddendShape): string {
  const values = new Values()
  return JSON.stringify([new AggregateSql(definition, values).total(addend), values.list])
}

/** Whether the totals have the sum of the addend for each of their groups. */
export const hasMeasure = (definition: WithTotals, addend: AddendShape): boolean =>
  measureOf(definition, addend) !== undefined

const columnsByAddend = new WeakMap<TotalsShape, ReadonlyMap<string, string>>()

/** The column of the totals that contains the sum of the addend. */
function measureOf(definition: WithTotals, addend: AddendShape): string | undefined {
  const { totals } = definition
  let columns = columnsByAddend.get(totals)
  if (!columns) {
    const measures = Object.entries(totals.measures ?? {})
    const separately = totals.separately ?? []
    columns = new Map([
      [addendKeyOf(definition, {}), 'n'],
      ...measures.map(([name, one]) => [addendKeyOf(definition, one), measureColumn(name)] as const),
      ...separately.map(
        (name) => [addendKeyOf(definition, { count: name }), withValueColumn(definition, name)] as const,
      ),
    ])
    columnsByAddend.set(totals, columns)
  }
  return columns.get(addendKeyOf(definition, addend))
}
