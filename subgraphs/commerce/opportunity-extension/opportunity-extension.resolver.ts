import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { orderTypes } from '../order/order.inputs.ts'
import { order } from '../order/order.record.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const quotes = recordsOf(quote)
const orders = recordsOf(order)

/** Fields that this subgraph adds to the entity `Opportunity`. */
@ObjectType('Opportunity')
@Directive('@key(fields: "id")')
export class OpportunityExtension {
  @Field(() => ID, { description: 'Id of the opportunity.' })
  id!: string
}

@Resolver(() => OpportunityExtension)
export class OpportunityExtensionResolver {
  // The field is nullable, so that opportunities can be read while this subgraph is unavailable.
  @FieldResolver(() => quoteTypes.Connection, {
    nullable: true,
    description: 'Live quotes of the opportunity that the caller sees; null while they cannot be read.',
  })
  quotes(
    @Root() root: OpportunityExtension,
    @Args(() => quoteTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotes.children(ctx, 'opportunityId', root.id, args, info)
  }

  @FieldResolver(() => orderTypes.Connection, {
    nullable: true,
    description: 'Live orders of the opportunity that the caller sees; null while they cannot be read.',
  })
  orders(
    @Root() root: OpportunityExtension,
    @Args(() => orderTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return orders.children(ctx, 'opportunityId', root.id, args, info)
  }
}

export const opportunityExtensionResource: Resource = {
  resolver: OpportunityExtensionResolver,
  types: [OpportunityExtension],
}
