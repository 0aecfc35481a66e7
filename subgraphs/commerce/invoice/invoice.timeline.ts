import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const invoiceEntries: TimelineSource = {
  kind: 'INVOICE',
  object: 'invoice',
  type: 'Invoice',
  at: ['createdAt'],
  columns: { title: 'invoiceNumber', type: null, status: 'status' },
  actor: ['createdById'],
}

/** The payments of invoices; a caller sees those of the invoices that it sees. */
export const paymentEntries: TimelineSource = {
  kind: 'PAYMENT',
  object: 'invoice',
  type: 'Invoice',
  at: [],
  columns: { title: 'invoiceNumber', type: null, status: null },
  actor: [],
  items: {
    table: 'commerce.payment_entry',
    from: ['payments'],
    id: 'invoice_id',
    at: 'paid_at',
    key: ['payment_id'],
    links: { accountId: 'account_id', contactId: 'contact_id' },
    type: 'method',
    status: 'status',
    actor: 'recorded_by_id',
  },
}
