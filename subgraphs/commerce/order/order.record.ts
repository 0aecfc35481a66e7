import { visibleAccounts, visibleContacts, visibleOpportunities } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { changedNames } from '../../kernel/record/changed-names.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { documentUrl } from '../document/document-url.ts'
import { readProducts } from '../line-item/complete-lines.ts'
import { amountProblems, calculatedAmounts, sentLines } from '../line-item/document-amounts.ts'
import { quote } from '../quote/quote.record.ts'
import { orderEvents } from './order.events.ts'
import { orderStates, requireDeletable, requireEditable } from './order.status.ts'
import { Order } from './order.ts'

export const order: RecordDefinition<Order> = defineRecord(Order, {
  object: 'order',
  table: 'commerce."order"',
  visibleBy: ['ownerId'],
  searchable: ['orderNumber', 'purchaseOrderNumber'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    accountId: visibleAccounts,
    contactId: visibleContacts,
    opportunityId: visibleOpportunities,
  },
  relations: {
    account: {
      to: recordType('account'),
      by: 'accountId',
      description:
        'Conditions on the account of the order. An order without an account that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    opportunity: {
      to: recordType('opportunity'),
      by: 'opportunityId',
      description:
        'Conditions on the opportunity of the order. An order without an opportunity that the caller sees does not match. Needs READ_OPPORTUNITIES.',
    },
    contact: {
      to: recordType('contact'),
      by: 'contactId',
      description:
        'Conditions on the contact of the order. An order without a contact that the caller sees does not match. Needs READ_CONTACTS.',
    },
    quote: {
      to: () => quote,
      by: 'quoteId',
      description:
        'Conditions on the quote that became the order. An order without a quote that the caller sees does not match. Needs READ_QUOTES.',
    },
  },
  numbered: 'number',
  numberText: { column: 'orderNumber', prefix: 'O-' },
  unique: { order_quote: 'quoteId' },
  totals: {
    by: ['status', 'paymentStatus', 'invoiceStatus', 'currency'],
    measures: { total: { sum: 'total' } },
  },
  amounts: {
    columns: ['subtotal', 'discountTotal', 'taxTotal', 'shippingTotal', 'total'],
    currency: 'currency',
    ratedOn: 'orderDate',
  },
  events: orderEvents,
  states: orderStates,
  async decide(ctx, values, previous) {
    if (previous) await requireEditable(ctx, previous, changedNames(order, previous, values))
    const lines = await sentLines(ctx, values, previous)
    return { implied: previous ? lines : { orderDate: values.orderDate ?? ctx.clock.now().toISOString(), ...lines } }
  },
  calculated: (next, previous, given) => ({
    documentUrl: documentUrl('orders', next),
    ...calculatedAmounts(next, previous, given),
  }),
  invariants: amountProblems,
  async checks(ctx, next, previous) {
    if (previous && next.deletedAt !== null && previous.deletedAt === null) await requireDeletable(ctx, previous)
    return []
  },
  decidesAlone: true,
  readsTogether: readProducts,
})
