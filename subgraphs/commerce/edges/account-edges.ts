import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { creditNoteTypes } from '../credit-note/credit-note.inputs.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { orderTypes } from '../order/order.inputs.ts'
import { order } from '../order/order.record.ts'
import { payment, PaymentConnection, PaymentConnectionArgs } from '../payment/payment.record.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'

export const Account = extendedEntity('Account')

/** Edges of accounts. They are nullable, so that accounts can be read while this subgraph is unavailable. */
export const accountEdges: readonly Resource[] = [
  edgeToMany(Account, 'quotes', {
    records: quote,
    types: quoteTypes,
    by: 'accountId',
    nullable: true,
    description: 'Live quotes of the account that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Account, 'orders', {
    records: order,
    types: orderTypes,
    by: 'accountId',
    nullable: true,
    description: 'Live orders of the account that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Account, 'invoices', {
    records: invoice,
    types: invoiceTypes,
    by: 'customerId',
    nullable: true,
    description: 'Live invoices of the account that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Account, 'payments', {
    records: payment,
    types: { Connection: PaymentConnection, ConnectionArgs: PaymentConnectionArgs },
    by: 'accountId',
    nullable: true,
    description:
      'Payments and refunds of the invoices of the account that the caller sees, most recently recorded first by default; null while they cannot be read.',
  }),
  edgeToMany(Account, 'creditNotes', {
    records: creditNote,
    types: creditNoteTypes,
    by: 'customerId',
    nullable: true,
    description: 'Live credit notes of the account that the caller sees; null while they cannot be read.',
  }),
]
