import { Ctx, Mutation, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresAllScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Order } from '../order/order.ts'
import { convertQuote } from './convert-quote.ts'

@Resolver()
export class QuoteConversionResolver {
  @Mutation(() => Order, {
    description:
      'Creates the order of an ACCEPTED quote and returns it. The quote becomes CONVERTED; a second call is refused with INVALID_STATE and the id of the order.',
  })
  @RequiresAllScopes('WRITE_QUOTES', 'WRITE_ORDERS')
  quoteConvert(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return convertQuote(ctx, id, expectedVersion)
  }
}

export const quoteConversionResource: Resource = {
  resolver: QuoteConversionResolver,
  operations: [
    operation('POST /v1/quotes/{id}/convert', 'quoteConvert', { summary: 'Convert to an order', status: 201 }),
  ],
}
