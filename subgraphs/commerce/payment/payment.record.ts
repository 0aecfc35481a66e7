import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { connectionOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Payment } from './payment.ts'

/** The payments and refunds of all invoices. Triggers keep them, so only their invoice changes them and announces it. */
export const payment: RecordDefinition<Payment> = defineRecord(Payment, {
  object: 'payment',
  table: 'commerce.listed_payment',
  storedIn: 'commerce.payment',
  partsOf: ['invoice.payments', 'invoice.refunds', 'credit_note.refunds'],
  visibleBy: ['ownerId'],
  searchable: ['reference'],
  hasSearchText: true,
  relations: {
    account: {
      to: recordType('account'),
      by: 'accountId',
      description:
        'Conditions on the customer. A payment without a customer that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    invoice: { to: () => invoice, by: 'invoiceId', description: 'Conditions on the invoice. Needs READ_INVOICES.' },
  },
  totals: { by: ['type', 'method', 'status', 'currency'], measures: { amount: { sum: 'amount' } } },
  amounts: { columns: ['amount', 'refundedAmount'], currency: 'currency', ratedOn: 'paidAt' },
  events: { types: {} },
})

export const PaymentFilter = filterOf('PaymentFilter', Payment, payment.relations)
const order = orderOf('PaymentOrder', Payment)
export const PaymentPage = pageOf('PaymentPage', Payment, 'INVOICES')
export const PaymentPageArgs = pageArgs(PaymentFilter, order)
export const PaymentConnection = connectionOf('Payment', Payment, 'INVOICES')
export const PaymentConnectionArgs = connectionArgs(PaymentFilter, order)
