import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { baseSumOf, ratesOf } from '../../identity/public.ts'
import { ratedSums } from '../../kernel/record/aggregate/rated-sums.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from './invoice.record.ts'
import { issuedStatuses } from './invoice.status.ts'

/** The invoiced sales by currency after one day and up to another, of the invoices that the caller sees, that match and that are not void. */
export async function salesSince(
  ctx: RequestContext,
  after: string,
  until: string,
  filter: FilterInput | null = null,
): Promise<ReadonlyMap<string, ExactNumber>> {
  const { source, values } = filteredRows(ctx, invoice, filter)
  const rows = await ctx.db.query<{ currency: string; sum: ExactNumber }>(
    `select t.currency, sum(t.total) as sum from ${source}
       and t.status in (${issuedStatuses.map((status) => `'${status}'`).join(', ')})
       and t.issue_date > ${values.add(after)} and t.issue_date <= ${values.add(until)}
     group by t.currency`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map(({ currency, sum }) => [currency, sum]))
}

/** The same in the base currency, each invoice at the rate of its day; at the rates of today if the profile hides that day. `sales` are those by currency. */
export async function salesInBaseCurrency(
  ctx: RequestContext,
  after: string,
  until: string,
  filter: FilterInput | null,
  sales: ReadonlyMap<string, ExactNumber>,
): Promise<ExactNumber> {
  const currencies = [...sales.keys()]
  if (isHidden(ctx.caller, invoice, 'issueDate')) {
    const sums = Array.from(sales, ([currency, sum]) => ({ currency, sum, count: 1 }))
    return baseSumOf(await ratesOf(ctx, currencies), sums)
  }
  const issued = { status: { in: [...issuedStatuses] }, issueDate: { gt: after, lte: until } }
  return (await ratedSums(ctx, invoice, ['total'], withCondition(filter, issued), currencies)).total
}

/** What is due by currency of the visible invoices that match and are late before the job, or in spite of a part payment, has made them OVERDUE. */
export async function lateOf(
  ctx: RequestContext,
  today: string,
  filter: FilterInput | null,
): Promise<ReadonlyMap<string, ExactNumber>> {
  const { source, values } = filteredRows(ctx, invoice, filter)
  const rows = await ctx.db.query<{ currency: string; sum: ExactNumber }>(
    `select t.currency, sum(t.amount_due) as sum from ${source}
       and t.status in ('SENT', 'PARTIALLY_PAID') and t.due_date < ${values.add(today)}
     group by t.currency`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map(({ currency, sum }) => [currency, sum]))
}
