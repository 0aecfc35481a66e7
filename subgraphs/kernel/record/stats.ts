import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { Scope } from './predicate.ts'

/** One row of aggregates over the live records in sight; `select` names columns of `t`. */
export async function aggregate<R>(
  ctx: RequestContext,
  definition: RecordShape,
  select: string,
  ...more: readonly unknown[]
): Promise<R> {
  const scope = new Scope(ctx.caller)
  const extra = more.map((value) => scope.values.add(value))
  const sql = `select ${extra.reduce((text, placeholder, index) => text.replaceAll(`:${index}`, placeholder), select)} from ${definition.table} t where ${scope.live(definition, 't')}`
  const [row] = await ctx.db.query(sql, scope.values.list)
  return row as R
}

export type Counts = Record<string, number>

/** How many live records in sight have each value of a column; rows without a value are left out. */
export async function countsBy(
  ctx: RequestContext,
  definition: RecordShape,
  columns: Readonly<Record<string, string>>,
): Promise<Record<string, Counts>> {
  const names = Object.keys(columns)
  const scope = new Scope(ctx.caller)
  const sets = Object.values(columns)
  const rows = await ctx.db.query<{ mask: number; count: number } & Record<string, string | number | null>>(
    `select grouping(${sets.map((column) => `t.${column}`).join(', ')})::int as mask, ${sets.map((column, index) => `t.${column} as v${index}`).join(', ')}, count(*)::int8 as count
     from ${definition.table} t where ${scope.live(definition, 't')} group by grouping sets (${sets.map((column) => `(t.${column})`).join(', ')})`,
    scope.values.list,
  )
  const counts = Object.fromEntries(names.map((name) => [name, {} as Counts]))
  for (const row of rows) {
    // Exactly one column is grouped by in each row: its bit of the mask is 0.
    const index = names.findIndex((_, position) => (row.mask & (1 << (names.length - 1 - position))) === 0)
    const value = row[`v${index}`]
    if (value !== null && value !== undefined) counts[names[index]!]![value] = row.count
  }
  return counts
}
