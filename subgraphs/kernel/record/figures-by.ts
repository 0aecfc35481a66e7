import type { RequestContext } from '../request.ts'
import { AggregateSql, type Aggregate } from './aggregates.ts'
import { columnOf, type ColumnName, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { isHidden } from './field-security.ts'
import { ListQuery, type ListArgs } from './list-query.ts'
import type { WithTotals } from './maintained-totals.ts'
import type { FilterInput } from './filter-input.ts'
import { Values, type TenantPredicate } from './predicate.ts'
import { TotalsSql } from './totals-sql.ts'

type ResultOf<A> = A extends Aggregate<infer _T, infer R> ? R : never

/** One group of records: the common values of the columns, and the figures; a figure over a hidden column is null. */
export type Group<T, B extends string, F> = { [K in B & keyof T]: T[K] } & { [K in keyof F]: ResultOf<F[K]> | null }

/**
 * Computes figures for each group of listed records that have the same values in these columns, for example sums by currency. Groups
 * without records are absent, and all of them if one of the columns is hidden. With a filter by enumerated columns only, the maintained totals answer.
 */
export async function figuresBy<
  T extends StoredRow,
  const B extends ColumnName<T>,
  const F extends Readonly<Record<string, Aggregate<T>>>,
>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  by: readonly B[],
  requested: F,
  args: ListArgs = {},
): Promise<Group<T, B, F>[]> {
  const query = new ListQuery(ctx, builtIn, args)
  const { definition, predicate } = query
  if (by.some((name) => isHidden(ctx.caller, definition, name))) return []
  const { source, isTotals } = query.aggregated(by)
  const into = isTotals
    ? new TotalsSql(definition as WithTotals, predicate)
    : new AggregateSql(definition, predicate.values)
  const columns = by.map((name) => columnOf(definition, name))
  const groups = columns.map((column) => column.sql('t'))
  const names = Object.keys(requested)
  const selected = [
    ...columns.map(({ name }, index) => `${groups[index]} as "${name}"`),
    ...names.map((name) =>
      readsHidden(ctx, definition, requested[name]!)
        ? `null as "${name}"`
        : `${requested[name]!.sql(into)} as "${name}"`,
    ),
  ]
  ctx.answered?.aggregate(definition)
  return ctx.db.query(
    `select ${selected.join(', ')} from ${source} group by ${groups.join(', ')} having ${into.total({})} <> 0 order by ${groups.join(', ')}`,
    predicate.values.list,
    isTotals ? 'LIST' : 'SCAN',
  ) as unknown as Promise<Group<T, B, F>[]>
}

/**
 * The `from` and `where` of a statement that computes something over the records, with the alias `t`, that match a filter and that the caller sees, and its
 * parameters, with the conditions of further record types. The answer is known to depend on what the caller sees.
 */
export function filteredRows(
  ctx: RequestContext,
  builtIn: RecordShape,
  filter: FilterInput | null,
): { readonly source: string; readonly values: Values; readonly predicate: TenantPredicate } {
  const query = new ListQuery(ctx, builtIn, { filter })
  ctx.answered?.aggregate(query.definition)
  const { predicate } = query
  return { source: query.aggregatedRows().source, values: predicate.values, predicate }
}

function readsHidden(ctx: RequestContext, definition: RecordShape, figure: Aggregate<never>): boolean {
  const read = new AggregateSql(definition, new Values())
  figure.sql(read)
  return [...read.columns].some((name) => isHidden(ctx.caller, definition, name))
}
