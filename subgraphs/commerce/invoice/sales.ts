import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from './invoice.record.ts'

/** The invoiced sales by currency after one day and up to another, of the invoices that the caller sees and that are not void. */
export async function salesSince(
  ctx: RequestContext,
  after: string,
  until: string,
  customerId: string | null = null,
): Promise<ReadonlyMap<string, ExactNumber>> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const ofCustomer = customerId === null ? '' : ` and t.customer_id = ${values.add(customerId)}`
  const rows = await ctx.db.query<{ currency: string; sum: ExactNumber }>(
    `select t.currency, sum(t.total) as sum from ${readSource(invoice)} t
     where ${predicate.live(invoice, 't')} and t.status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE', 'PAID', 'UNCOLLECTIBLE')
       and t.issue_date > ${values.add(after)} and t.issue_date <= ${values.add(until)}${ofCustomer}
     group by t.currency`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map(({ currency, sum }) => [currency, sum]))
}

/** What is due by currency of the visible invoices that are late before the job, or in spite of a part payment, has made them OVERDUE. */
export async function lateOf(ctx: RequestContext, today: string): Promise<ReadonlyMap<string, ExactNumber>> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const rows = await ctx.db.query<{ currency: string; sum: ExactNumber }>(
    `select t.currency, sum(t.amount_due) as sum from ${readSource(invoice)} t
     where ${predicate.live(invoice, 't')} and t.status in ('SENT', 'PARTIALLY_PAID') and t.due_date < ${values.add(today)}
     group by t.currency`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map(({ currency, sum }) => [currency, sum]))
}
