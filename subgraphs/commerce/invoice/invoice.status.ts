import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import type { Invoice, InvoiceStatus } from './invoice.ts'

/** The statuses in which the amount that is due counts as receivable. */
export const openStatuses = ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] as const satisfies readonly InvoiceStatus[]

/** The statuses of the invoices that were issued and are valid: those that count as sales. */
export const issuedStatuses = [...openStatuses, 'PAID', 'UNCOLLECTIBLE'] as const satisfies readonly InvoiceStatus[]

export const isOpen = (status: InvoiceStatus): boolean => (openStatuses as readonly InvoiceStatus[]).includes(status)

type Amounts = Pick<Invoice, 'amountDue' | 'amountPaid' | 'amountCredited' | 'dueDate' | 'uncollectibleAt'>

/** The status of an issued invoice that is not void, by what is paid and credited. `today` is midnight UTC of the day in the organization. */
export function statusByAmounts(
  { amountDue, amountPaid, amountCredited, dueDate, uncollectibleAt }: Amounts,
  today: string,
): InvoiceStatus {
  if (decimalOf(amountDue).lte(zero)) return 'PAID'
  if (uncollectibleAt !== null) return 'UNCOLLECTIBLE'
  if (decimalOf(amountPaid).plus(decimalOf(amountCredited)).gt(zero)) return 'PARTIALLY_PAID'
  return dueDate !== null && dueDate < today ? 'OVERDUE' : 'SENT'
}

/** The status after a refund. Past its due day an open invoice is OVERDUE at once, whatever is left of its payments. */
export function statusAfterRefund(next: Amounts & Pick<Invoice, 'status'>, today: string): InvoiceStatus {
  if (next.status === 'VOID') return 'VOID'
  const status = statusByAmounts(next, today)
  return isOpen(status) && next.dueDate !== null && next.dueDate < today ? 'OVERDUE' : status
}
