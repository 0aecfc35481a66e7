import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { creditNoteTypes } from '../credit-note/credit-note.inputs.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Invoice } from '../invoice/invoice.ts'
import { Order } from '../order/order.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'
import { Quote } from '../quote/quote.ts'

/** The edges from orders and quotes to their invoices, from quotes to their revisions, and from invoices to their credit notes. */
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
  edgeToMany(Invoice, 'creditNotes', {
    records: creditNote,
    types: creditNoteTypes,
    by: 'invoiceId',
    description: 'Live credit notes of the invoice that the caller sees, newest first by default.',
  }),
]
