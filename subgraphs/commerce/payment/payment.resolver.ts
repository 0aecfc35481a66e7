import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql'
import { aggregateResource } from '../../kernel/record/aggregate/aggregate-resource.ts'
import { IdArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import { CreditNote } from '../credit-note/credit-note.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Invoice } from '../invoice/invoice.ts'
import { Payment } from './payment.ts'
import { paymentDays, paymentTable } from './payment.migrations.ts'
import {
  payment,
  PaymentConnection,
  PaymentConnectionArgs,
  PaymentFilter,
  PaymentPage,
  PaymentPageArgs,
} from './payment.record.ts'

const payments = recordsOf(payment)
const invoices = recordsOf(invoice)
const creditNotes = recordsOf(creditNote)

const rule = 'A caller whose profile hides `payments` or `refunds` of invoices or credit notes is refused.'

@Resolver(() => Payment)
export class PaymentResolver {
  @Query(() => Payment, { nullable: true, description: `Returns one payment or refund. ${rule}` })
  payment(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return payments.one(ctx, id, info)
  }

  @Query(() => PaymentPage, {
    description: `Payments and refunds of all invoices and credit notes that the caller sees, most recently recorded first by default. ${rule}`,
  })
  paymentList(@Args(() => PaymentPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return payments.page(ctx, args, info)
  }

  @Query(() => PaymentConnection, {
    description: `Payments and refunds of all invoices and credit notes that the caller sees, in the form of a connection. ${rule}`,
  })
  paymentConnection(
    @Args(() => PaymentConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return payments.connection(ctx, args, info)
  }

  @FieldResolver(() => Invoice, {
    nullable: true,
    description: 'The invoice of the payment; null if there is none or the caller does not see it.',
  })
  invoice(@Root() { invoiceId }: Payment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return invoices.reference(ctx, invoiceId, info)
  }

  @FieldResolver(() => CreditNote, {
    nullable: true,
    description: 'The credit note that was refunded; null if there is none or the caller does not see it.',
  })
  creditNote(@Root() { creditNoteId }: Payment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return creditNotes.reference(ctx, creditNoteId, info)
  }

  @FieldResolver(() => Payment, {
    nullable: true,
    description: 'The payment of which this is a refund; null if there is none or the caller does not see it.',
  })
  refundedPayment(@Root() { refundedPaymentId }: Payment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return payments.reference(ctx, refundedPaymentId, info)
  }
}

export const paymentResource: Resource = {
  resolver: PaymentResolver,
  entities: { Payment: payment },
  migrations: [paymentTable, paymentDays],
  rest: restArea(payment, {
    path: 'payments',
    filters: [
      'type',
      'method',
      'status',
      'accountId',
      'invoiceId',
      'creditNoteId',
      'refundedPaymentId',
      'ownerId',
      'currency',
      'reference',
      'amount',
      { name: 'amountFrom', column: 'amount', operator: 'gte' },
      { name: 'amountTo', column: 'amount', operator: 'lte' },
      { name: 'paidFrom', column: 'paidAt', operator: 'gte' },
      { name: 'paidBefore', column: 'paidAt', operator: 'lt' },
      createdAfter,
      updatedAfter,
    ],
  }),
}

export const paymentAggregate = aggregateResource(payment, 'READ_INVOICES', { filter: PaymentFilter, rule })
