import { isRawNumber } from '../json/exact-number.ts'
import type { RequestContext } from '../request.ts'
import type { ColumnName } from './addend.ts'
import { AggregateSql, type Aggregate, type CountBy } from './aggregates.ts'
import type { Column } from './column.ts'
import { columnOf, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { fieldRules } from './field-security.ts'
import type { FilterInput } from './filter-input.ts'
import { ListQuery } from './list-query.ts'
import { fromTotals, hasTotalsFor, totalsTable, withValueColumn } from './maintained-totals.ts'
import { readSource } from './read-source.ts'
import { TenantPredicate, Values } from './predicate.ts'
import { shapeFor } from './shape-source.ts'
import { TotalsSql } from './totals-sql.ts'

export type Counts = Record<string, number>

type Figure<T> = Aggregate<T> | CountBy<T>

type ResultOf<F> = F extends Aggregate<infer _T, infer R> ? R : Counts

type Requested = readonly [name: string, figure: Figure<never>]

const isCountBy = <T>(figure: Figure<T>): figure is CountBy<T> => 'by' in figure

/**
 * Computes figures of the records that the caller can see, without deleted ones, by name:
 * `{ total: count(), byType: countBy('type') }`, and that match the filter. A figure over a hidden column is null. One statement reads what the
 * maintained totals answer, another one the rest from the rows.
 */
export async function figures<T extends StoredRow, const F extends Readonly<Record<string, Figure<T>>>>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  requested: F,
  filter: FilterInput | null = null,
): Promise<{ [K in keyof F]: ResultOf<F[K]> | null }> {
  const definition = shapeFor(ctx, builtIn)
  const hidden = fieldRules(ctx.caller, definition)?.hidden
  const all = Object.entries<Figure<T>>(requested) as unknown as Requested[]
  const readable = all.filter(([, figure]) => ![...columnsOf(definition, figure)].some((name) => hidden?.has(name)))
  // Each statement has parameters of its own.
  const filtered = (): ListQuery | null => (filter ? new ListQuery(ctx, builtIn, { filter }) : null)
  const isFilterInTotals = filtered()?.aggregated([]).isTotals
  const isInTotals = ([, figure]: Requested): boolean => canUseTotals(ctx, definition, figure, isFilterInTotals)
  const [fromGroups, fromRows] = await Promise.all([
    readAggregates(ctx, definition, readable.filter(isInTotals), true, filtered()),
    readAggregates(
      ctx,
      definition,
      readable.filter((figure) => !isInTotals(figure)),
      false,
      filtered(),
    ),
  ])
  const hiddenFigures = Object.fromEntries(all.map(([name]) => [name, null]))
  return { ...hiddenFigures, ...fromGroups, ...fromRows } as { [K in keyof F]: ResultOf<F[K]> | null }
}

/** Compiles with separate parameters, because PostgreSQL cannot infer the type of a parameter that the statement does not use. */
function columnsOf(definition: RecordShape, figure: Figure<never>): ReadonlySet<string> {
  const into = new AggregateSql(definition, new Values())
  if (isCountBy(figure)) into.column(figure.by)
  else figure.sql(into)
  return into.columns
}

/** `isFilterInTotals` is undefined without a filter. */
function canUseTotals(
  ctx: RequestContext,
  definition: RecordShape,
  figure: Figure<never>,
  isFilterInTotals: boolean | undefined,
): boolean {
  if (!hasTotalsFor(ctx.caller, definition) || isFilterInTotals === false) return false
  if (isCountBy(figure)) return definition.totals.by.includes(figure.by)
  const into = new TotalsSql(definition, new TenantPredicate(ctx.caller))
  figure.sql(into)
  return isFilterInTotals ? !into.hasSubquery : !into.readsEveryRow
}

const groupNameOf = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value))

// The keys are values of records. Without a prototype, `__proto__` is a normal key.
const noCounts = (): Counts => Object.create(null) as Counts

/** Zero for each value of an enumeration. */
function zeroCounts({ kind, type }: Column): Counts {
  const counts = noCounts()
  if (kind === 'enum') for (const value of Object.keys(type)) counts[value] = 0
  return counts
}

/** One statement for all these figures: aggregates over all rows, and counts grouped by each column. */
async function readAggregates(
  ctx: RequestContext,
  definition: RecordShape,
  requested: readonly Requested[],
  isInTotals: boolean,
  filtered: ListQuery | null,
): Promise<Record<string, unknown>> {
  if (requested.length === 0) return {}
  ctx.answered?.aggregate(definition)
  const predicate = filtered?.predicate ?? new TenantPredicate(ctx.caller)
  const isFromTotals = isInTotals && hasTotalsFor(ctx.caller, definition)
  const into = isFromTotals ? new TotalsSql(definition, predicate) : new AggregateSql(definition, predicate.values)
  const grouped = requested.flatMap(([name, figure]) =>
    isCountBy(figure) ? [{ name, column: columnOf(definition, figure.by) }] : [],
  )
  const aggregates = requested.flatMap(([name, figure]) => (isCountBy(figure) ? [] : [{ name, figure }]))
  const columns = grouped.map(({ column }) => column.sql('t'))
  const selected = [
    `${columns.length > 0 ? `grouping(${columns.join(', ')})` : 0}::int as mask`,
    `${into.total({})}::int8 as count`,
    ...columns.map((sql, index) => `${sql} as v${index}`),
    ...aggregates.map(({ figure }, index) => `${figure.sql(into)} as f${index}`),
  ]
  const { source } = filtered
    ? isFromTotals
      ? filtered.aggregated([])
      : filtered.aggregatedRows()
    : {
        source: isFromTotals
          ? fromTotals(definition, predicate)
          : `${readSource(definition)} t where ${predicate.live(definition, 't')}`,
      }
  const groupings = [...(aggregates.length > 0 ? ['()'] : []), ...columns.map((sql) => `(${sql})`)]
  const rows = await ctx.db.query<{ mask: number; count: number } & Record<string, unknown>>(
    `select ${selected.join(', ')} from ${source} group by grouping sets (${groupings.join(', ')})`,
    predicate.values.list,
    'SCAN',
  )
  const results: Record<string, unknown> = Object.fromEntries(
    grouped.map(({ name, column }) => [name, zeroCounts(column)]),
  )
  for (const row of rows) {
    // The bit of a column in the mask is 0 when the row is grouped by it; all bits are 1 in the row of the aggregates.
    const index = grouped.findIndex((_, position) => (row.mask & (1 << (grouped.length - 1 - position))) === 0)
    if (index === -1) aggregates.forEach(({ name }, position) => (results[name] = row[`f${position}`]))
    else addCount(results[grouped[index]!.name] as Counts, row[`v${index}`], row.count)
  }
  return results
}

function addCount(counts: Counts, value: unknown, count: number): void {
  // A difference that is not merged yet may leave a group without records.
  if (value !== null && value !== undefined && count !== 0) counts[groupNameOf(value)] = count
}

export interface MostFrequent {
  /** The number of records by value, the most frequent values first. */
  readonly counts: Counts | null
  /** The number of records with any other value. */
  readonly others: number | null
}

/**
 * Counts the records by the most frequent values of a column that has many values; values that are equally frequent in the order of
 * the values. Null if the column is hidden.
 */
export async function mostFrequent<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  name: ColumnName<T>,
  limit: number,
  filter: FilterInput | null = null,
): Promise<MostFrequent> {
  const definition = shapeFor(ctx, builtIn)
  if (fieldRules(ctx.caller, definition)?.hidden.has(name)) return { counts: null, others: null }
  ctx.answered?.aggregate(definition)
  const column = columnOf(definition, name)
  const filtered = filter ? new ListQuery(ctx, builtIn, { filter }) : null
  const predicate = filtered?.predicate ?? new TenantPredicate(ctx.caller)
  const found = await ctx.db.query<{ value: unknown; count: number; all: number }>(
    frequencies(predicate, definition, column, predicate.values.add(limit), filtered),
    predicate.values.list,
    'SCAN',
  )
  const counts = noCounts()
  for (const { value, count } of found) addCount(counts, value, count)
  const listed = found.reduce((sum, { count }) => sum + count, 0)
  return { counts, others: (found[0]?.all ?? 0) - listed }
}

function frequencies(
  predicate: TenantPredicate,
  definition: RecordShape,
  column: Column,
  limit: string,
  filtered: ListQuery | null,
): string {
  const order = `order by count desc, value limit ${limit}`
  if (filtered || !hasTotalsFor(predicate.caller, definition) || !definition.totals.separately?.includes(column.name)) {
    const value = column.sql('t')
    const rows =
      filtered?.aggregatedRows().source ?? `${readSource(definition)} t where ${predicate.live(definition, 't')}`
    return `select ${value} as value, count(*)::int8 as count, (sum(count(*)) over ())::int8 as all from ${rows}
      and ${value} is not null group by 1 ${order}`
  }
  const table = totalsTable(definition)
  const value = `t.${column.column}`
  const rows = (kind: string) => `${table} t where ${predicate.totals(definition, 't', [kind])}`
  // A value of the result is among those that changed, or among the most frequent merged ones that did not change.
  return `with changed as (
      select ${value} as value, sum(t.n) as n from ${rows('CHANGE')} and ${value} is not null group by 1
    ), merged as (
      (select ${value} as value, t.n from ${rows(column.column)} order by t.n desc, ${value}
       limit ${limit} + (select count(*) from changed))
      union
      select ${value}, t.n from ${rows(column.column)} and ${value} = any(array(select value from changed))
    )
    select value, sum(n)::int8 as count, (
      select coalesce(sum(t.${withValueColumn(definition, column.name)}), 0)::int8 from ${fromTotals(definition, predicate)}
    ) as all
    from (select * from changed union all select * from merged) counted group by value having sum(n) <> 0 ${order}`
}
