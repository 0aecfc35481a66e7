import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { orderTypes } from '../order/order.inputs.ts'
import { order } from '../order/order.record.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const quotes = recordsOf(quote)
const orders = recordsOf(order)
const invoices = recordsOf(invoice)

/** Fields that this subgraph adds to the entity `Account`. */
@ObjectType('Account')
@Directive('@key(fields: "id")')
export class AccountExtension {
  @Field(() => ID, { description: 'Id of the account.' })
  id!: string
}

@Resolver(() => AccountExtension)
export class AccountExtensionResolver {
  // The field is nullable, so that accounts can be read while this subgraph is unavailable.
  @FieldResolver(() => quoteTypes.Connection, {
    nullable: true,
    description: 'Live quotes of the account that the caller sees; null while they cannot be read.',
  })
  quotes(
    @Root() root: AccountExtension,
    @Args(() => quoteTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotes.children(ctx, 'accountId', root.id, args, info)
  }

  @FieldResolver(() => orderTypes.Connection, {
    nullable: true,
    description: 'Live orders of the account that the caller sees; null while they cannot be read.',
  })
  orders(
    @Root() root: AccountExtension,
    @Args(() => orderTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return orders.children(ctx, 'accountId', root.id, args, info)
  }

  @FieldResolver(() => invoiceTypes.Connection, {
    nullable: true,
    description: 'Live invoices of the account that the caller sees; null while they cannot be read.',
  })
  invoices(
    @Root() root: AccountExtension,
    @Args(() => invoiceTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return invoices.children(ctx, 'customerId', root.id, args, info)
  }
}

export const accountExtensionResource: Resource = { resolver: AccountExtensionResolver, types: [AccountExtension] }
