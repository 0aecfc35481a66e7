import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Order } from '../order/order.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'
import { Quote } from '../quote/quote.ts'

/** The edges from orders and quotes to their invoices, and from quotes to their revisions. */
export const documentEdges: readonly Resource[] = [
  edgeToMany(Order, 'invoices', {
    records: invoice,
    types: invoiceTypes,
    by: 'orderId',
    description: 'Live invoices of the order that the caller sees, newest first by default.',
  }),
  edgeToMany(Quote, 'invoices', {
    records: invoice,
    types: invoiceTypes,
    by: 'quoteId',
    description: 'Live invoices of the quote that the caller sees, newest first by default.',
  }),
  edgeToMany(Quote, 'revisions', {
    records: quote,
    types: quoteTypes,
    by: 'revisionOfId',
    description: 'Live quotes that revise this one and that the caller sees, newest first by default.',
  }),
]
