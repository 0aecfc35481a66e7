import { Refusal } from '../../kernel/errors.ts'
import { requireNewStatus, type Transitions } from '../../kernel/record/transitions.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import type { Invoice, InvoiceStatus } from './invoice.ts'

/** The statuses that may follow each status. A refund opens a PAID invoice again. */
export const invoiceTransitions: Transitions<InvoiceStatus> = {
  DRAFT: ['SENT'],
  SENT: ['PARTIALLY_PAID', 'PAID', 'OVERDUE', 'VOID', 'UNCOLLECTIBLE'],
  PARTIALLY_PAID: ['PAID', 'OVERDUE', 'UNCOLLECTIBLE'],
  OVERDUE: ['PARTIALLY_PAID', 'PAID', 'VOID', 'UNCOLLECTIBLE'],
  UNCOLLECTIBLE: ['PAID', 'VOID'],
  PAID: [],
  VOID: [],
}

/** The statuses in which the amount that is due counts as receivable. */
export const openStatuses = ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] as const satisfies readonly InvoiceStatus[]

export const isOpen = (status: InvoiceStatus): boolean => (openStatuses as readonly InvoiceStatus[]).includes(status)

export const requireTransition = (from: InvoiceStatus, to: InvoiceStatus): void =>
  requireNewStatus('invoice', invoiceTransitions, from, to)

/** Throws INVALID_STATE with the statuses that may follow. */
export function refuseInState(status: InvoiceStatus, message: string): never {
  throw new Refusal('INVALID_STATE', message, { allowed: [...invoiceTransitions[status]] })
}

type Amounts = Pick<Invoice, 'amountDue' | 'amountPaid' | 'dueDate' | 'uncollectibleAt'>

/** The status of an issued invoice that is not void, by what is paid. `today` is midnight UTC of the day in the organization. */
export function statusByAmounts(
  { amountDue, amountPaid, dueDate, uncollectibleAt }: Amounts,
  today: string,
): InvoiceStatus {
  if (decimalOf(amountDue).lte(zero)) return 'PAID'
  if (uncollectibleAt !== null) return 'UNCOLLECTIBLE'
  if (decimalOf(amountPaid).gt(zero)) return 'PARTIALLY_PAID'
  return dueDate !== null && dueDate < today ? 'OVERDUE' : 'SENT'
}

/** What a client may change after DRAFT. */
const changeable: ReadonlySet<string> = new Set(['dueDate', 'notes', 'metadata', 'tags', 'dunningBlocked'])

/** What follows from the order of an invoice. */
const ofOrder = ['lineItems', 'currency', 'discountType', 'discountValue', 'shippingTotal', 'quoteId'] as const

/** Throws INVALID_STATE if a client's change touches what is frozen. */
export function requireEditable({ status, orderId }: Invoice, changed: readonly (keyof Invoice)[]): void {
  if (status !== 'DRAFT') {
    const frozen = changed.filter((name) => !changeable.has(name))
    if (frozen.length === 0) return
    const rule = `only ${[...changeable].join(', ')} can change`
    refuseInState(status, `An invoice with status ${status} cannot change ${frozen.join(', ')}; ${rule}.`)
  }
  if (orderId === null) return
  const frozen = changed.filter((name) => (ofOrder as readonly string[]).includes(name))
  if (frozen.length === 0) return
  const way = 'delete it and invoice the order again'
  refuseInState(status, `An invoice of an order cannot change ${frozen.join(', ')}, which follow from it; ${way}.`)
}

/** Throws INVALID_STATE unless the invoice may be deleted. */
export function requireDeletable({ status }: Invoice): void {
  if (status === 'DRAFT') return
  refuseInState(status, `An invoice with status ${status} cannot be deleted; only a DRAFT can. Void it instead.`)
}
