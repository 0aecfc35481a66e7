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

/** Fields that this subgraph adds to the entity `Contact`. */
@ObjectType('Contact')
@Directive('@key(fields: "id")')
export class ContactExtension {
  @Field(() => ID, { description: 'Id of the contact.' })
  id!: string
}

@Resolver(() => ContactExtension)
export class ContactExtensionResolver {
  // The field is nullable, so that contacts can be read while this subgraph is unavailable.
  @FieldResolver(() => quoteTypes.Connection, {
    nullable: true,
    description: 'Live quotes of the contact that the caller sees; null while they cannot be read.',
  })
  quotes(
    @Root() root: ContactExtension,
    @Args(() => quoteTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotes.children(ctx, 'contactId', root.id, args, info)
  }

  @FieldResolver(() => orderTypes.Connection, {
    nullable: true,
    description: 'Live orders of the contact that the caller sees; null while they cannot be read.',
  })
  orders(
    @Root() root: ContactExtension,
    @Args(() => orderTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return orders.children(ctx, 'contactId', root.id, args, info)
  }

  @FieldResolver(() => invoiceTypes.Connection, {
    nullable: true,
    description: 'Live invoices of the contact that the caller sees; null while they cannot be read.',
  })
  invoices(
    @Root() root: ContactExtension,
    @Args(() => invoiceTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return invoices.children(ctx, 'contactId', root.id, args, info)
  }
}

export const contactExtensionResource: Resource = { resolver: ContactExtensionResolver, types: [ContactExtension] }
