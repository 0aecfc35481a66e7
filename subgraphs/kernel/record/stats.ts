import { isRawNumber } from '../json/exact-number.ts'
import type { RequestContext } from '../request.ts'
import { columnOf, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { fieldRules } from './field-security.ts'
import { FigureSql, type ColumnName, type Figure } from './figures.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate, Values } from './predicate.ts'

/**
 * Figures over the live records in sight, by name: `{ total: count(), totalRevenue: sum('annualRevenue') }`. One over a column
 * that is hidden from the caller is null.
 */
export async function aggregate<T extends StoredRow, const F extends Readonly<Record<string, Figure<T>>>>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  figures: F,
): Promise<{ [K in keyof F]: ResultOf<F[K]> | null }> {
  const definition = shapeFor(ctx, builtIn)
  const scope = new TenantPredicate(ctx.caller)
  const hidden = fieldRules(ctx.caller, definition)?.hidden
  const select = Object.entries(figures).map(([name, figure]) => {
    const isHidden = hidden !== undefined && [...columnsOf(definition, figure)].some((column) => hidden.has(column))
    return `${isHidden ? 'null' : figure.sql(new FigureSql(definition, scope.values))} as "${name}"`
  })
  const sql = `select ${select.join(', ')} from ${definition.table} t where ${scope.live(definition, 't')}`
  ctx.answered?.figure(definition)
  const [row] = await ctx.db.query(sql, scope.values.list, 'SCAN')
  return row as { [K in keyof F]: ResultOf<F[K]> | null }
}

type ResultOf<F> = F extends Figure<infer _T, infer R> ? R : never

/** The columns that a figure is over; found before it becomes a part of the statement, where a value without use has no type. */
function columnsOf<T>(definition: RecordShape, figure: Figure<T>): ReadonlySet<string> {
  const into = new FigureSql(definition, new Values())
  figure.sql(into)
  return into.columns
}

const keyOf = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value))

export type Counts = Record<string, number>

/** How many live records in sight have each value of a column; rows without a value are left out. Null for a hidden column. */
export async function countsBy<T extends StoredRow, N extends string>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  columns: Readonly<Record<N, ColumnName<T>>>,
): Promise<Record<N, Counts | null>> {
  const definition = shapeFor(ctx, builtIn)
  const rules = fieldRules(ctx.caller, definition)
  const all = Object.entries<string>(columns).map(([name, column]) => ({ name, column: columnOf(definition, column) }))
  const readable = all.filter(({ column }) => !rules?.hidden.has(column.name))
  // Values are the caller's: without a prototype `__proto__` is a key like any other.
  const nothing = (): Counts => Object.create(null) as Counts
  const counts = Object.fromEntries(all.map((one) => [one.name, readable.includes(one) ? nothing() : null]))
  if (readable.length === 0) return counts as Record<N, Counts | null>
  ctx.answered?.figure(definition)
  const scope = new TenantPredicate(ctx.caller)
  const sets = readable.map(({ column }) => column.sql('t'))
  const rows = await ctx.db.query<{ mask: number; count: number } & Record<string, unknown>>(
    `select grouping(${sets.join(', ')})::int as mask, ${sets.map((column, index) => `${column} as v${index}`).join(', ')}, count(*)::int8 as count
     from ${definition.table} t where ${scope.live(definition, 't')} group by grouping sets (${sets.map((column) => `(${column})`).join(', ')})`,
    scope.values.list,
    'SCAN',
  )
  for (const row of rows) {
    // Exactly one column is grouped by in each row: its bit of the mask is 0.
    const index = readable.findIndex((_, position) => (row.mask & (1 << (readable.length - 1 - position))) === 0)
    const value = row[`v${index}`]
    if (value !== null && value !== undefined) counts[readable[index]!.name]![keyOf(value)] = row.count
  }
  return counts as Record<N, Counts | null>
}
