import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Quote } from '../quote/quote.ts'
import { order } from './order.record.ts'
import { Order } from './order.ts'

const orders = recordsOf(order)

@Resolver(() => Quote)
export class QuoteOrderResolver {
  @FieldResolver(() => Order, {
    nullable: true,
    description: 'The order that the quote became; null if there is none or the caller does not see it.',
  })
  order(@Root() root: Quote, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return orders.reference(ctx, root.orderId, info)
  }
}

export const quoteOrderResource: Resource = { resolver: QuoteOrderResolver }
