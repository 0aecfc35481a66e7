import type { RequestContext } from '../request.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { fieldRules, type FieldRules } from './field-security.ts'
import { Scope } from './predicate.ts'

const mentions = (sql: string, column: string): boolean => new RegExp(`\\bt\\.${column}\\b`).test(sql)

function tellsHidden(definition: RecordShape, rules: FieldRules | null, sql: string): boolean {
  return rules !== null && [...rules.hidden].some((name) => mentions(sql, columnOf(definition, name).column))
}

/**
 * Aggregates over the live records in sight: SQL over columns of `t` by the name of the figure, with `:0`, `:1` for further
 * values. A figure over a column that is hidden from the caller is null.
 */
export async function aggregate<R>(
  ctx: RequestContext,
  definition: RecordShape,
  figures: Readonly<Record<keyof R & string, string>>,
  ...more: readonly unknown[]
): Promise<R> {
  const scope = new Scope(ctx.caller)
  const rules = fieldRules(ctx.caller, definition)
  const select = Object.entries<string>(figures)
    .map(([name, sql]) => `${tellsHidden(definition, rules, sql) ? 'null' : sql} as "${name}"`)
    .join(', ')
  // A value that no figure uses would have no type.
  const filled = more.reduce<string>(
    (text, value, index) => (text.includes(`:${index}`) ? text.replaceAll(`:${index}`, scope.values.add(value)) : text),
    select,
  )
  const sql = `select ${filled} from ${definition.table} t where ${scope.live(definition, 't')}`
  ctx.telling?.figure(definition)
  const [row] = await ctx.db.query(sql, scope.values.list, 'SCAN')
  return row as R
}

export type Counts = Record<string, number>

/** How many live records in sight have each value of a column; rows without a value are left out. Null for a hidden column. */
export async function countsBy<N extends string>(
  ctx: RequestContext,
  definition: RecordShape,
  columns: Readonly<Record<N, string>>,
): Promise<Record<N, Counts | null>> {
  const rules = fieldRules(ctx.caller, definition)
  const all = Object.entries<string>(columns).map(([name, column]) => ({ name, column: columnOf(definition, column) }))
  const readable = all.filter(({ column }) => !rules?.hidden.has(column.name))
  // Values are the caller's: without a prototype `__proto__` is a key like any other.
  const nothing = (): Counts => Object.create(null) as Counts
  const counts = Object.fromEntries(all.map((one) => [one.name, readable.includes(one) ? nothing() : null]))
  if (readable.length === 0) return counts as Record<N, Counts | null>
  ctx.telling?.figure(definition)
  const scope = new Scope(ctx.caller)
  const sets = readable.map(({ column }) => column.column)
  const rows = await ctx.db.query<{ mask: number; count: number } & Record<string, string | number | null>>(
    `select grouping(${sets.map((column) => `t.${column}`).join(', ')})::int as mask, ${sets.map((column, index) => `t.${column} as v${index}`).join(', ')}, count(*)::int8 as count
     from ${definition.table} t where ${scope.live(definition, 't')} group by grouping sets (${sets.map((column) => `(t.${column})`).join(', ')})`,
    scope.values.list,
    'SCAN',
  )
  for (const row of rows) {
    // Exactly one column is grouped by in each row: its bit of the mask is 0.
    const index = readable.findIndex((_, position) => (row.mask & (1 << (readable.length - 1 - position))) === 0)
    const value = row[`v${index}`]
    if (value !== null && value !== undefined) counts[readable[index]!.name]![value] = row.count
  }
  return counts as Record<N, Counts | null>
}
