import { isRawNumber } from '../json/exact-number.ts'
import type { RequestContext } from '../request.ts'
import { columnOf, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { fieldRules } from './field-security.ts'
import { AggregateSql, type Aggregate, type ColumnName } from './aggregates.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate, Values } from './predicate.ts'

/**
 * Computes aggregates of the records that the caller can see, without deleted ones, by name:
 * `{ total: count(), totalRevenue: sum('annualRevenue') }`. An aggregate of a hidden column is null.
 */
export async function aggregate<T extends StoredRow, const F extends Readonly<Record<string, Aggregate<T>>>>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  aggregates: F,
): Promise<{ [K in keyof F]: ResultOf<F[K]> | null }> {
  const definition = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const hidden = fieldRules(ctx.caller, definition)?.hidden
  const select = Object.entries(aggregates).map(([name, one]) => {
    const isHidden = hidden !== undefined && [...columnsOf(definition, one)].some((column) => hidden.has(column))
    return `${isHidden ? 'null' : one.sql(new AggregateSql(definition, predicate.values))} as "${name}"`
  })
  const sql = `select ${select.join(', ')} from ${definition.table} t where ${predicate.live(definition, 't')}`
  ctx.answered?.aggregate(definition)
  const [row] = await ctx.db.query(sql, predicate.values.list, 'SCAN')
  return row as { [K in keyof F]: ResultOf<F[K]> | null }
}

type ResultOf<F> = F extends Aggregate<infer _T, infer R> ? R : never

/**
 * The columns that an aggregate reads. It compiles the aggregate with separate parameters, because PostgreSQL cannot infer the type
 * of a parameter that the statement does not use.
 */
function columnsOf<T>(definition: RecordShape, one: Aggregate<T>): ReadonlySet<string> {
  const into = new AggregateSql(definition, new Values())
  one.sql(into)
  return into.columns
}

const keyOf = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value))

export type Counts = Record<string, number>

/** Counts visible records that are not deleted by each value of a column. Null values are not counted; a hidden column is null. */
export async function countsBy<T extends StoredRow, N extends string>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  columns: Readonly<Record<N, ColumnName<T>>>,
): Promise<Record<N, Counts | null>> {
  const definition = shapeFor(ctx, builtIn)
  const rules = fieldRules(ctx.caller, definition)
  const all = Object.entries<string>(columns).map(([name, column]) => ({ name, column: columnOf(definition, column) }))
  const readable = all.filter(({ column }) => !rules?.hidden.has(column.name))
  // The keys are values of records. Without a prototype, `__proto__` is a normal key.
  const noCounts = (): Counts => Object.create(null) as Counts
  const counts = Object.fromEntries(all.map((one) => [one.name, readable.includes(one) ? noCounts() : null]))
  if (readable.length === 0) return counts as Record<N, Counts | null>
  ctx.answered?.aggregate(definition)
  const predicate = new TenantPredicate(ctx.caller)
  const expressions = readable.map(({ column }) => column.sql('t'))
  const rows = await ctx.db.query<{ mask: number; count: number } & Record<string, unknown>>(
    `select grouping(${expressions.join(', ')})::int as mask, ${expressions.map((column, index) => `${column} as v${index}`).join(', ')}, count(*)::int8 as count
     from ${definition.table} t where ${predicate.live(definition, 't')} group by grouping sets (${expressions.map((column) => `(${column})`).join(', ')})`,
    predicate.values.list,
    'SCAN',
  )
  for (const row of rows) {
    // Each row is grouped by exactly one column: the bit of that column in the mask is 0.
    const index = readable.findIndex((_, position) => (row.mask & (1 << (readable.length - 1 - position))) === 0)
    const value = row[`v${index}`]
    if (value !== null && value !== undefined) counts[readable[index]!.name]![keyOf(value)] = row.count
  }
  return counts as Record<N, Counts | null>
}
