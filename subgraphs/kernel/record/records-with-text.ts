import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { isHidden, requireReadable } from './field-security.ts'
import { orderOf } from './order.ts'
import { computedOver, type TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'
import { searchCondition } from './search.ts'
import { shapeFor } from './shape-source.ts'

/** What is looked for among the records of one type. */
export interface TextSearch {
  readonly shape: RecordShape
  /** The columns whose values are returned, which the caller may read. */
  readonly names: readonly string[]
  /** A value that a column must have, instead of the text. */
  readonly equal?: { readonly name: string; readonly value: unknown }
}

export interface RecordWithText {
  readonly shape: RecordShape
  readonly id: string
  /** In the order of `names`. */
  readonly values: readonly (string | null)[]
}

function partOf(
  ctx: RequestContext,
  predicate: TenantPredicate,
  { shape, names, equal }: TextSearch,
  index: number,
  { text, limit }: { readonly text: string; readonly limit: number },
): string {
  const definition = shapeFor(ctx, shape)
  requireReadable(ctx.caller, definition, ...names, ...(equal ? [equal.name] : []))
  const { values } = predicate
  const order = orderOf(definition, null)
  const searched = definition.searchable.filter((name) => !isHidden(ctx.caller, definition, name))
  const column = equal && columnOf(definition, equal.name)
  const condition = column
    ? `${column.sql('t')} = ${values.addOf(column.kind, equal.value)}`
    : searchCondition(
        definition,
        searched.map((name) => columnOf(definition, name)),
        text,
        't',
        values,
      )
  const shown = names.map((name) => `${columnOf(definition, name).sql('t')}::text`)
  // `offset 0` makes PostgreSQL plan the search for all matching rows, so that no estimate leads it to walk through an index.
  const matching = `select t.id, array[${shown.join(', ')}]::text[] as names, ${order.sortColumns('t')}
    from ${readSource(definition)} t where ${predicate.live(definition, 't')} and ${condition} offset 0`
  return `(select ${index} as type, m.id, m.names as values from (${matching}) m order by ${order.sortedSql('m')} limit ${limit})`
}

/**
 * The first visible records of each type in which the text occurs, in the order of their lists. One statement, where a list for each type
 * would need two of them for each. Scopes are checked by the caller.
 */
export async function recordsWithText(
  ctx: RequestContext,
  searches: readonly TextSearch[],
  text: string,
  limit: number,
): Promise<RecordWithText[]> {
  const predicate = computedOver(ctx)
  const parts = searches.map((search, index) => partOf(ctx, predicate, search, index, { text, limit }))
  if (parts.length === 0) return []
  const rows = await ctx.db.query<
    Row & { readonly type: number; readonly id: string; readonly values: (string | null)[] }
  >(parts.join(' union all '), predicate.values.list, 'SCAN')
  // Parts of a union have no order among each other.
  return searches.flatMap(({ shape }, index) =>
    rows.filter(({ type }) => type === index).map(({ id, values }) => ({ shape, id, values })),
  )
}
