import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { BulkResult } from '../../kernel/record/bulk-result.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { pipelineTable } from '../pipeline/pipeline.migrations.ts'
import {
  OpportunityBulkUpdateItem,
  OpportunityConnection,
  OpportunityConnectionArgs,
  OpportunityCreateInput,
  OpportunityPage,
  OpportunityPageArgs,
  OpportunityUpdateInput,
} from './opportunity.inputs.ts'
import { opportunityTable } from './opportunity.migrations.ts'
import { opportunity } from './opportunity.record.ts'
import { OpportunityStats, opportunityStats } from './opportunity.stats.ts'
import { Opportunity } from './opportunity.ts'

const opportunities = recordsOf(opportunity)
const accounts = recordsOf(account)

@Resolver(() => Opportunity)
export class OpportunityResolver {
  @Query(() => Opportunity, { nullable: true })
  opportunity(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return opportunities.one(ctx, id, info)
  }

  @Query(() => OpportunityPage)
  opportunityList(
    @Args(() => OpportunityPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return opportunities.page(ctx, args, info)
  }

  @Query(() => OpportunityConnection)
  opportunityConnection(
    @Args(() => OpportunityConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return opportunities.connection(ctx, args, info)
  }

  @Query(() => [Opportunity], { description: 'Deleted opportunities, most recently deleted first.' })
  opportunityListDeleted(
    @Args(() => UnfilteredPageArgs) args: UnfilteredPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return opportunities.deleted(ctx, args, info)
  }

  @Query(() => OpportunityStats)
  opportunityStats(@Ctx() ctx: RequestContext) {
    return opportunityStats(ctx)
  }

  @Mutation(() => Opportunity)
  @RequiresScope('OPPORTUNITIES')
  opportunityCreate(
    @InputArg(() => OpportunityCreateInput) input: RecordInput<Opportunity>,
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.create(ctx, input)
  }

  @Mutation(() => Opportunity)
  @RequiresScope('OPPORTUNITIES')
  opportunityUpdate(
    @IdArg() id: string,
    @InputArg(() => OpportunityUpdateInput) input: RecordInput<Opportunity>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes an opportunity. It can be restored; until then only `opportunityListDeleted` returns it.',
  })
  @RequiresScope('OPPORTUNITIES')
  opportunityDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Opportunity)
  @RequiresScope('OPPORTUNITIES')
  opportunityRestore(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.restore(ctx, id, expectedVersion)
  }

  @Mutation(() => BulkResult, {
    description: 'Changes 1 to 500 opportunities. Each item succeeds or fails independently.',
  })
  @RequiresScope('OPPORTUNITIES')
  opportunityBulkUpdate(
    @Arg('items', () => [OpportunityBulkUpdateItem], {
      description: 'The changes, 1 to 500, each with the id of its opportunity.',
    })
    items: OpportunityBulkUpdateItem[],
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.bulkUpdate(ctx, items)
  }

  @Mutation(() => BulkResult, {
    description: 'Deletes 1 to 500 opportunities. Each item succeeds or fails independently.',
  })
  @RequiresScope('OPPORTUNITIES')
  opportunityBulkDelete(
    @Arg('ids', () => [ID], { description: 'Ids of the opportunities, 1 to 500.' }) given: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return opportunities.bulkRemove(ctx, given)
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the opportunity; null if it is deleted or the caller does not see it.',
  })
  account(@Root() root: Opportunity, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }
}

export const opportunityResource: Resource = {
  resolver: OpportunityResolver,
  entities: { Opportunity: opportunity },
  migrations: [pipelineTable, opportunityTable],
  rest: restArea(opportunity, {
    path: 'opportunities',
    filters: [
      'stage',
      'pipelineId',
      'accountId',
      { name: 'owner', column: 'ownerId', operator: 'eq' },
      'forecastCategory',
      'type',
      'isClosed',
      'isWon',
      'currency',
      { name: 'closeDateAfter', column: 'closeDate', operator: 'gt' },
      { name: 'closeDateBefore', column: 'closeDate', operator: 'lt' },
      'externalId',
      createdAfter,
      updatedAfter,
      ids,
    ],
  }),
}
