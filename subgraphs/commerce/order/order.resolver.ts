import { Arg, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { quote } from '../quote/quote.record.ts'
import { Quote } from '../quote/quote.ts'
import { cancelOrder, confirmOrder, fulfillOrder, processOrder, returnOrder } from './order.actions.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { DocumentFile } from '../document/document-file.ts'
import { orderFile } from './order.document.ts'
import { orderTypes } from './order.inputs.ts'
import { orderDocumentUrl, orderTable } from './order.migrations.ts'
import { order } from './order.record.ts'
import { OrderStats, orderStats } from './order.stats.ts'
import { Order } from './order.ts'
import { orderEntries } from './order.timeline.ts'

const quotes = recordsOf(quote)

const ReasonArg = (what: string, example: string) =>
  ValueArg('reason', () => String, { nullable: true, max: 2000, description: `${what}; null: no reason.`, example })

@InputType({ description: 'A quantity of one line of an order that was delivered.' })
export class OrderDeliveryInput {
  @Field(() => ID, { description: 'Id of the line.' })
  lineItemId!: string

  @Field(() => Decimal, { description: 'Number of units, above 0 and at most the open quantity of the line.' })
  quantity!: ExactNumber
}

@Resolver(() => Order)
export class OrderResolver extends standardResolver(order, {
  scope: 'ORDERS',
  types: orderTypes,
  stats: { type: OrderStats, read: orderStats },
  restoreDescription: 'Restores a deleted order, if its quote did not become another order.',
}) {
  @Query(() => DocumentFile, {
    description:
      'Returns the PDF of the order. It shows the customer with name and address, also to a caller who does not see the account. A caller whose profile hides a printed column is refused.',
  })
  @RequiresScopes('READ_ORDERS')
  orderDocument(@IdArg() id: string, @Ctx() ctx: RequestContext<'work'>) {
    return orderFile(ctx, id)
  }

  @Mutation(() => Order, {
    description: 'Confirms a DRAFT with at least one line. Its lines and prices are frozen from then on.',
  })
  @RequiresScope('ORDERS')
  orderConfirm(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return confirmOrder(ctx, id, expectedVersion)
  }

  @Mutation(() => Order, { description: 'Starts the processing of a CONFIRMED order.' })
  @RequiresScope('ORDERS')
  orderProcess(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return processOrder(ctx, id, expectedVersion)
  }

  @Mutation(() => Order, {
    description:
      'Adds delivered quantities to the lines of an order in PROCESSING or PARTIALLY_FULFILLED. It is FULFILLED when nothing is open.',
  })
  @RequiresScope('ORDERS')
  orderFulfill(
    @IdArg() id: string,
    @Arg('lines', () => [OrderDeliveryInput], {
      nullable: true,
      description: 'Delivered quantities, 1 to 200 lines; null: everything that is open.',
    })
    lines: OrderDeliveryInput[] | null | undefined,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return fulfillOrder(ctx, id, lines, expectedVersion)
  }

  @Mutation(() => Order, { description: 'Cancels an order of which nothing was delivered.' })
  @RequiresScope('ORDERS')
  orderCancel(
    @IdArg() id: string,
    @ReasonArg('Why the order is cancelled', 'Ordered twice.') reason: string | null,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return cancelOrder(ctx, id, reason ?? null, expectedVersion)
  }

  @Mutation(() => Order, { description: 'Records that the customer returned a FULFILLED order.' })
  @RequiresScope('ORDERS')
  orderReturn(
    @IdArg() id: string,
    @ReasonArg('Why the customer returned the order', 'The wrong size.') reason: string | null,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return returnOrder(ctx, id, reason ?? null, expectedVersion)
  }

  @FieldResolver(() => Quote, {
    nullable: true,
    description: 'The quote that became the order; null if there is none or the caller does not see it.',
  })
  quote(@Root() root: Order, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return quotes.reference(ctx, root.quoteId, info)
  }
}

export const orderResource: Resource = {
  resolver: OrderResolver,
  entities: { Order: order },
  timeline: [orderEntries],
  migrations: [orderTable, orderDocumentUrl],
  rest: restArea(order, {
    path: 'orders',
    filters: [
      'status',
      'paymentStatus',
      'invoiceStatus',
      'quoteId',
      'opportunityId',
      'accountId',
      'contactId',
      'ownerId',
      'currency',
      'purchaseOrderNumber',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
}
