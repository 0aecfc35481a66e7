import { batchOf } from '../../kernel/record/batch.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { addDays } from './invoice-day.ts'
import { invoice } from './invoice.record.ts'
import { isOpen } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'

/** The invoices that were paid last and decide about the habit of a customer: older ones say little, and reading all would take long. */
export const habitInvoices = 100

const needed = ['customerId', 'dueDate', 'paidAt'] as const
const loaderKey: ReadonlySet<string> = new Set(['daysLate'])

/** The median of the days late by customer, of the invoices that the caller sees; no entry without a paid invoice. */
export async function medianDaysLate(
  ctx: RequestContext,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (customerIds.length === 0 || needed.some((name) => isHidden(ctx.caller, invoice, name))) return new Map()
  const predicate = computedOver(ctx)
  const { values } = predicate
  const rows = await ctx.db.query<{ id: string; days: number | null }>(
    `select c.id, l.days from unnest(${values.add(customerIds)}::uuid[]) c(id)
     cross join lateral (
       select round(percentile_cont(0.5) within group (order by (p.issue_date at time zone 'UTC')::date + p.days_to_pay - (p.due_date at time zone 'UTC')::date))::int as days
       from (
         select t.issue_date, t.due_date, t.days_to_pay from ${readSource(invoice)} t
         where ${predicate.live(invoice, 't')} and t.status = 'PAID' and t.customer_id = c.id
         order by t.paid_at desc limit ${habitInvoices}
       ) p
     ) l`,
    values.list,
    'SCAN',
  )
  return new Map(rows.flatMap(({ id, days }) => (days === null ? [] : [[id, days] as const])))
}

/** The day on which an open invoice is likely paid: its due day and the median days late of its customer. */
export async function expectedPaymentDate(
  ctx: RequestContext,
  { customerId, dueDate, status }: Pick<Invoice, 'customerId' | 'dueDate' | 'status'>,
): Promise<string | null> {
  if (!customerId || !dueDate || !isOpen(status)) return null
  const days = await batchOf<number | null>(ctx, loaderKey, 'invoice.daysLate', async (ids) => {
    const medians = await medianDaysLate(ctx, [...new Set(ids)])
    return ids.map((id) => medians.get(id) ?? null)
  }).load(customerId)
  return days === null ? null : addDays(dueDate, days)
}
