import { Arg, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresAllScopes, RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { MessageArg } from '../customer-mail/correspondence.ts'
import { DocumentFile } from '../document/document-file.ts'
import { invoiceFromOrder } from '../order-invoice/invoice-order.ts'
import { order } from '../order/order.record.ts'
import { Order } from '../order/order.ts'
import { quote } from '../quote/quote.record.ts'
import { Quote } from '../quote/quote.ts'
import type { Version } from './change-invoice.ts'
import { daysOverdueOf } from './days-overdue.ts'
import { disputeInvoice, invoiceActions, markUncollectible, resolveDispute, voidInvoice } from './invoice.actions.ts'
import {
  InvoicedLineInput,
  InvoicePaymentRecordInput,
  InvoiceRefundRecordInput,
  invoiceTypes,
} from './invoice.inputs.ts'
import { invoiceMigrations } from './invoice.migrations.ts'
import { invoiceOverdue } from './invoice-overdue.job.ts'
import { invoice } from './invoice.record.ts'
import { InvoiceStats, invoiceStats } from './invoice.stats.ts'
import { Invoice } from './invoice.ts'
import { expectedPaymentDate, habitInvoices } from './payment-habit.ts'
import { recordPayment } from './record-payment.ts'
import { refundPayment } from './refund-payment.ts'
import { invoiceFile, shownPageOf } from './invoice.document.ts'
import { invoiceMailing } from './invoice-mail.job.ts'
import { sendInvoice } from './send-invoice.ts'
import { invoiceEntries, paymentEntries } from './invoice.timeline.ts'

const orders = recordsOf(order)
const quotes = recordsOf(quote)

const ReasonArg = (what: string) =>
  Arg('reason', () => String, { nullable: true, description: `${what}, at most 2000 characters; null: no reason.` })

const isMissing = (error: unknown): boolean => error instanceof Refusal && error.code === 'NOT_FOUND'
const unknownOrder = () =>
  invalid({
    path: 'orderId',
    code: 'UNKNOWN_REFERENCE',
    message: 'orderId must be the id of an existing record that you can see.',
  })

@Resolver(() => Invoice)
export class InvoiceResolver extends standardResolver(invoice, {
  scope: 'INVOICES',
  types: invoiceTypes,
  actions: invoiceActions,
  stats: { type: InvoiceStats, read: invoiceStats },
  restoreDescription:
    'Restores a deleted DRAFT unchanged, and returns it. A live invoice and an invoice of an order are refused with INVALID_STATE.',
}) {
  @Query(() => DocumentFile, {
    description:
      'Returns the PDF of the invoice; that of a DRAFT is a preview without a number. It shows the customer with name and address, also to a caller who does not see the account. A caller whose profile hides a printed column is refused.',
  })
  @RequiresScopes('READ_INVOICES')
  invoiceDocument(@IdArg() id: string, @Ctx() ctx: RequestContext<'work'>) {
    return invoiceFile(ctx, id)
  }

  @Mutation(() => Invoice, {
    description:
      'Issues a DRAFT: it gets its number and becomes SENT, and is mailed with its PDF. An open invoice is mailed again. Answers go to the caller.',
  })
  @RequiresScope('INVOICES')
  invoiceSend(
    @IdArg() id: string,
    @Arg('to', () => String, {
      nullable: true,
      description:
        'Email address of the recipient; null: that of the contact, or the one of the last sending. Without an address the invoice is issued and not mailed. A caller whose profile hides something that the invoice shows cannot name another address.',
    })
    to: string | null,
    @MessageArg() message: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext<'vault' | 'work'>,
  ) {
    return sendInvoice(ctx, id, to ?? null, message ?? null, expectedVersion)
  }

  @Mutation(() => Invoice, { description: 'Records a payment of an issued invoice, whole or in part.' })
  @RequiresScope('INVOICES')
  invoiceRecordPayment(
    @IdArg() id: string,
    @Arg('input', () => InvoicePaymentRecordInput, { description: 'The payment.' }) input: InvoicePaymentRecordInput,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return recordPayment(ctx, id, input, expectedVersion)
  }

  @Mutation(() => Invoice, {
    description:
      'Records that a payment was returned, wholly or in part. A PAID invoice of which an amount is due again is open again.',
  })
  @RequiresScope('INVOICES')
  invoiceRefundPayment(
    @IdArg() id: string,
    @Arg('paymentId', () => ID, { description: 'Id of the payment.' }) paymentId: string,
    @Arg('input', () => InvoiceRefundRecordInput, {
      nullable: true,
      description: 'The refund; null: all that is left.',
    })
    input: InvoiceRefundRecordInput | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return refundPayment(ctx, id, paymentId, input ?? {}, expectedVersion)
  }

  @Mutation(() => Invoice, {
    description:
      'Voids an issued invoice without payments. Its number stays used, and its order can be invoiced again.',
  })
  @RequiresScope('INVOICES')
  invoiceVoid(
    @IdArg() id: string,
    @ReasonArg('Why the invoice is voided') reason: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return voidInvoice(ctx, id, reason ?? null, expectedVersion)
  }

  @Mutation(() => Invoice, {
    description: 'Marks an open invoice as UNCOLLECTIBLE: it is no receivable any more, and no reminder is sent.',
  })
  @RequiresScope('INVOICES')
  invoiceMarkUncollectible(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return markUncollectible(ctx, id, expectedVersion)
  }

  @Mutation(() => Invoice, {
    description:
      'Records that the customer disputes an open invoice. The dunning configuration says whether reminders pause.',
  })
  @RequiresScope('INVOICES')
  invoiceDispute(
    @IdArg() id: string,
    @ReasonArg('Why the customer disputes it') reason: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return disputeInvoice(ctx, id, reason ?? null, expectedVersion)
  }

  @Mutation(() => Invoice, { description: 'Records that the dispute of an invoice is over.' })
  @RequiresScope('INVOICES')
  invoiceResolveDispute(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return resolveDispute(ctx, id, expectedVersion)
  }

  @Mutation(() => Invoice, {
    description:
      'Creates a DRAFT over quantities of an order that is CONFIRMED, PROCESSING or (PARTIALLY_)FULFILLED. A fully invoiced order is refused with INVALID_STATE and the id of its invoice in existingId.',
  })
  @RequiresAllScopes('WRITE_INVOICES', 'READ_ORDERS')
  invoiceFromOrder(
    @Arg('orderId', () => ID, { description: 'Id of the order.' }) orderId: string,
    @Arg('lineItems', () => [InvoicedLineInput], {
      nullable: true,
      description: 'Quantities of 1 to 200 lines; null: everything that is not invoiced.',
    })
    lineItems: InvoicedLineInput[] | null,
    @Ctx() ctx: RequestContext,
  ) {
    return invoiceFromOrder(ctx, orderId, lineItems ?? null).catch((error: unknown) => {
      throw isMissing(error) ? unknownOrder() : error
    })
  }

  @Mutation(() => Invoice, {
    description:
      'Creates a DRAFT over everything of an order that is not invoiced; as invoiceFromOrder, for the order with this id.',
  })
  @RequiresAllScopes('WRITE_INVOICES', 'READ_ORDERS')
  orderInvoice(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return invoiceFromOrder(ctx, id, null)
  }

  @FieldResolver(() => Int, {
    description:
      'Days since the due day while the invoice is open, in the time zone of the organization; 0 if it is not overdue.',
  })
  daysOverdue(@Root() root: Invoice, @Ctx() ctx: RequestContext) {
    return daysOverdueOf(ctx, root)
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: `Day on which an open invoice will likely be paid, as midnight UTC: \`dueDate\` and the median of the days by which the customer paid the last ${habitInvoices} invoices late (or early); null if the invoice is not open or none was paid.`,
  })
  expectedPaymentDate(@Root() root: Invoice, @Ctx() ctx: RequestContext) {
    return expectedPaymentDate(ctx, root)
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Address of the page on which the customer reads and pays the invoice without an account; null in a DRAFT, and for a caller whose profile hides something that the page shows. Everybody with the address sees the invoice.',
  })
  publicUrl(@Root() root: Invoice, @Ctx() ctx: RequestContext) {
    return shownPageOf(ctx, root)
  }

  @FieldResolver(() => Order, {
    nullable: true,
    description: 'The order that is invoiced; null if there is none or the caller does not see it.',
  })
  order(@Root() root: Invoice, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return orders.reference(ctx, root.orderId, info)
  }

  @FieldResolver(() => Quote, {
    nullable: true,
    description: 'The quote of the invoice; null if there is none or the caller does not see it.',
  })
  quote(@Root() root: Invoice, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return quotes.reference(ctx, root.quoteId, info)
  }
}

export const invoiceResource: Resource = {
  resolver: InvoiceResolver,
  entities: { Invoice: invoice },
  timeline: [invoiceEntries, paymentEntries],
  migrations: invoiceMigrations,
  jobs: [invoiceOverdue, invoiceMailing],
  rest: restArea(invoice, {
    path: 'invoices',
    derivedFields: ['daysOverdue', 'publicUrl'],
    filters: [
      'status',
      'customerId',
      'contactId',
      'orderId',
      'quoteId',
      'ownerId',
      'currency',
      'purchaseOrderNumber',
      'invoiceNumber',
      'externalId',
      { name: 'dueBefore', column: 'dueDate', operator: 'lt' },
      createdAfter,
      updatedAfter,
    ],
  }),
}
