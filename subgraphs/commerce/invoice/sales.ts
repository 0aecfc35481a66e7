import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from './invoice.record.ts'

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
       and t.status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE', 'PAID', 'UNCOLLECTIBLE')
       and t.issue_date > ${values.add(after)} and t.issue_date <= ${values.add(until)}
     group by t.currency`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map(({ currency, sum }) => [currency, sum]))
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
