import { visibleAccounts, visibleContacts } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { changedNames } from '../../kernel/record/changed-names.ts'
import { defineRecord, type RecordDefinition, type RelationBy } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { readProducts } from '../line-item/complete-lines.ts'
import { sentLines } from '../line-item/document-amounts.ts'
import { order } from '../order/order.record.ts'
import { quote } from '../quote/quote.record.ts'
import { calculatedInvoice, invoiceProblems } from './invoice.amounts.ts'
import { dayOf, todayOf } from './invoice-day.ts'
import { invoiceEvents } from './invoice.events.ts'
import { invoiceStates, requireDeletable, requireEditable } from './invoice.states.ts'
import { isOpen, statusByAmounts } from './invoice.status.ts'
import { Invoice } from './invoice.ts'

/** Under the name of the field, and under the one that other records use. */
const customer: RelationBy<Invoice> = {
  to: recordType('account'),
  by: 'customerId',
  description:
    'Conditions on the customer of the invoice. An invoice without a customer that the caller sees does not match. Needs READ_ACCOUNTS.',
}

export const invoice: RecordDefinition<Invoice> = defineRecord(Invoice, {
  object: 'invoice',
  table: 'commerce.invoice',
  visibleBy: ['ownerId'],
  searchable: ['invoiceNumber', 'purchaseOrderNumber'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    customerId: visibleAccounts,
    contactId: visibleContacts,
    quoteId: (ctx, ids) => visibleIds(ctx, quote, ids),
  },
  relations: {
    customer,
    account: customer,
    contact: {
      to: recordType('contact'),
      by: 'contactId',
      description:
        'Conditions on the contact of the invoice. An invoice without a contact that the caller sees does not match. Needs READ_CONTACTS.',
    },
    order: {
      to: () => order,
      by: 'orderId',
      description:
        'Conditions on the order that is invoiced. An invoice without an order that the caller sees does not match. Needs READ_ORDERS.',
    },
    quote: {
      to: () => quote,
      by: 'quoteId',
      description:
        'Conditions on the quote of the invoice. An invoice without a quote that the caller sees does not match. Needs READ_QUOTES.',
    },
  },
  totals: {
    by: ['status', 'currency'],
    measures: {
      total: { sum: 'total' },
      amountPaid: { sum: 'amountPaid' },
      amountCredited: { sum: 'amountCredited' },
      amountDue: { sum: 'amountDue' },
      daysToPay: { sum: 'daysToPay' },
    },
  },
  amounts: {
    columns: [
      'subtotal',
      'discountTotal',
      'taxTotal',
      'shippingTotal',
      'total',
      'amountPaid',
      'amountCredited',
      'amountDue',
      'dunningFees',
      'dunningInterest',
    ],
    currency: 'currency',
    ratedOn: 'issueDate',
  },
  events: invoiceEvents,
  states: invoiceStates,
  async decide(ctx, values, previous) {
    if (previous) await requireEditable(ctx, previous, changedNames(invoice, previous, values))
    const lines = previous?.orderId ? {} : await sentLines(ctx, values, previous)
    if (!previous || !isOpen(previous.status) || !values.dueDate || dayOf(values.dueDate) === previous.dueDate)
      return { implied: lines }
    // A later due day ends OVERDUE; an earlier one begins it when the clock sees it.
    const today = await todayOf(ctx)
    const isLater = dayOf(values.dueDate) >= today
    return {
      implied: {
        ...lines,
        ...(isLater && previous.status === 'OVERDUE' && { status: statusByAmounts({ ...previous, ...values }, today) }),
      },
    }
  },
  calculated: calculatedInvoice,
  calculatesDays: ({ status }) => status === 'PAID',
  invariants: invoiceProblems,
  async checks(ctx, next, previous) {
    if (previous && next.deletedAt !== null && previous.deletedAt === null) await requireDeletable(ctx, previous)
    return []
  },
  decidesAlone: true,
  readsTogether: readProducts,
})
