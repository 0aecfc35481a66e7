import type { ExactNumber } from '../../json/exact-number.ts'
import type { RequestContext } from '../../request.ts'
import { decimalOf, exactOf, roundToCurrency } from '../../values/decimal.ts'
import { columnOf, type ColumnName, type RecordDefinition, type StoredRow } from '../definition.ts'
import { isHidden } from '../field-security.ts'
import type { FilterInput } from '../filter-input.ts'
import { ListQuery } from '../list-query.ts'
import type { AmountsShape } from './aggregate-columns.ts'
import { AggregateStatementBuilder } from './aggregate-sql.ts'
import { factsOf } from './organization-facts.ts'

/**
 * The sums of these amounts in the base currency of the organization, over the records that the caller sees and that match: each converted at the rate of
 * the day that `amounts` of the definition names, so that past figures keep their rate, and rounded once, half to even. Amounts without a rate are left out.
 * `currencies` are those of the records: without others than the base currency, maintained totals answer. A day that the profile hides is as if it were
 * not set, so that the rate of today applies.
 */
export async function ratedSums<T extends StoredRow, const N extends ColumnName<T>>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  names: readonly N[],
  filter: FilterInput | null,
  currencies: Iterable<string>,
): Promise<Readonly<Record<N, ExactNumber>>> {
  const query = new ListQuery(ctx, builtIn, { filter })
  const { definition } = query
  const facts = await factsOf(ctx)
  const measured = names.map((name) => ({
    column: columnOf(definition, name),
    isAmount: true,
    isSummed: true,
    isLowest: false,
    isHighest: false,
  }))
  const request = {
    keys: [],
    measured,
    figures: { sum: names.map((_, index) => index), average: [], min: [], max: [] },
    sortBy: 'KEY',
    isDescending: false,
    limit: 1,
  } as const
  const { columns, currency, ...rated } = definition.amounts!
  const isDated =
    [...currencies].some((one) => one !== facts.baseCurrency) &&
    Object.values(rated).every((name) => !isHidden(ctx.caller, definition, name as string))
  const amounts: AmountsShape = { columns, currency, ...(isDated && rated) }
  const { text, isFromTotals } = new AggregateStatementBuilder(query, request, facts, false, amounts).statement()
  ctx.answered?.aggregate(definition)
  const [row] = await ctx.db.query(text, query.predicate.values.list, isFromTotals ? 'LIST' : 'SCAN')
  const sums = names.map((name, index): [N, ExactNumber] => {
    const sum = (row![`bs${index}`] ?? 0) as ExactNumber
    return [name, exactOf(roundToCurrency(decimalOf(sum), facts.baseCurrency))]
  })
  return Object.fromEntries(sums) as Record<N, ExactNumber>
}
