import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { opportunityTypes } from './opportunity.inputs.ts'
import { opportunity } from './opportunity.record.ts'

const opportunities = recordsOf(opportunity)

@Resolver(() => Account)
export class AccountOpportunitiesResolver {
  @FieldResolver(() => opportunityTypes.Connection, {
    description: 'Live opportunities of the account that the caller sees, newest first by default.',
  })
  opportunities(
    @Root() root: Account,
    @Args(() => opportunityTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return opportunities.children(ctx, 'accountId', root.id, args, info)
  }
}

export const accountOpportunitiesResource: Resource = { resolver: AccountOpportunitiesResolver }
