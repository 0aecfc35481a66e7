import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Order } from '../order/order.ts'
import { Quote } from '../quote/quote.ts'

const invoices = recordsOf(invoice)

@Resolver(() => Order)
export class OrderInvoicesResolver {
  @FieldResolver(() => invoiceTypes.Connection, {
    description: 'Live invoices of the order that the caller sees, newest first by default.',
  })
  invoices(
    @Root() root: Order,
    @Args(() => invoiceTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return invoices.children(ctx, 'orderId', root.id, args, info)
  }
}

@Resolver(() => Quote)
export class QuoteInvoicesResolver {
  @FieldResolver(() => invoiceTypes.Connection, {
    description: 'Live invoices of the quote that the caller sees, newest first by default.',
  })
  invoices(
    @Root() root: Quote,
    @Args(() => invoiceTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return invoices.children(ctx, 'quoteId', root.id, args, info)
  }
}

export const orderInvoicesResource: Resource = { resolver: OrderInvoicesResolver }
export const quoteInvoicesResource: Resource = { resolver: QuoteInvoicesResolver }
