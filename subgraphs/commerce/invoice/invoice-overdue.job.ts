import { dueRecords } from '../../identity/public.ts'
import { passDueDay } from './invoice.actions.ts'
import { invoice } from './invoice.record.ts'

const zone = `coalesce(o.settings ->> 'timezone', 'UTC')`
const today = `date_trunc('day', $1::timestamptz at time zone ${zone})`

/** Makes open invoices OVERDUE at the midnight after their due day, in the time zone of their organization. */
export const invoiceOverdue = dueRecords(invoice, {
  name: 'invoice.overdue',
  cron: '* * * * *',
  by: 'dueDate',
  // A day begins fourteen hours earlier in the easternmost time zone than in UTC.
  afterMs: -14 * 3_600_000,
  of: `status in ('SENT', 'PARTIALLY_PAID')`,
  when: `r.due_date at time zone 'UTC' < ${today}
    and (r.status = 'SENT' or r.last_payment_at is null or r.last_payment_at at time zone ${zone} < ${today})`,
  work: (ctx, { id }) => passDueDay(ctx, id),
})
