import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  QuoteConnection,
  QuoteConnectionArgs,
  QuoteCreateInput,
  QuotePage,
  QuotePageArgs,
  QuoteUpdateInput,
} from './quote.inputs.ts'
import { quoteTable } from './quote.migrations.ts'
import { QuoteStats, quoteStats } from './quote.stats.ts'
import { Quote } from './quote.ts'
import { quote } from './quote.record.ts'

const quotes = recordsOf(quote)

@Resolver(() => Quote)
export class QuoteResolver {
  @Query(() => Quote, { nullable: true })
  quote(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return quotes.one(ctx, id, info)
  }

  @Query(() => QuotePage)
  quoteList(@Args(() => QuotePageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return quotes.page(ctx, args, info)
  }

  @Query(() => QuoteConnection)
  quoteConnection(
    @Args(() => QuoteConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotes.connection(ctx, args, info)
  }

  @Query(() => [Quote], { description: 'Deleted quotes, most recently deleted first.' })
  quoteListDeleted(
    @Args(() => UnfilteredPageArgs) args: UnfilteredPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotes.deleted(ctx, args, info)
  }

  @Query(() => QuoteStats)
  quoteStats(@Ctx() ctx: RequestContext) {
    return quoteStats(ctx)
  }

  @Mutation(() => Quote)
  @RequiresScope('QUOTES')
  quoteCreate(@InputArg(() => QuoteCreateInput) input: RecordInput<Quote>, @Ctx() ctx: RequestContext) {
    return quotes.create(ctx, input)
  }

  @Mutation(() => Quote)
  @RequiresScope('QUOTES')
  quoteUpdate(
    @IdArg() id: string,
    @InputArg(() => QuoteUpdateInput) input: RecordInput<Quote>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return quotes.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a quote. It can be restored; until then only `quoteListDeleted` returns it.',
  })
  @RequiresScope('QUOTES')
  quoteDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return quotes.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Quote, {
    description: 'Restores a deleted quote, if no live quote took its place as revision or primary quote.',
  })
  @RequiresScope('QUOTES')
  quoteRestore(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return quotes.restore(ctx, id, expectedVersion)
  }
}

export const quoteResource: Resource = {
  resolver: QuoteResolver,
  entities: { Quote: quote },
  migrations: [quoteTable],
  rest: restArea(quote, {
    path: 'quotes',
    filters: [
      'status',
      'approvalStatus',
      'opportunityId',
      'accountId',
      'contactId',
      'ownerId',
      'isPrimary',
      'currency',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
}
