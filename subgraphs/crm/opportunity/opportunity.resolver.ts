import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { opportunityTypes } from './opportunity.inputs.ts'
import { opportunityTable } from './opportunity.migrations.ts'
import { opportunity } from './opportunity.record.ts'
import { OpportunityStats, opportunityStats } from './opportunity.stats.ts'
import { Opportunity } from './opportunity.ts'

const accounts = recordsOf(account)

@Resolver(() => Opportunity)
export class OpportunityResolver extends standardResolver(opportunity, {
  scope: 'OPPORTUNITIES',
  types: opportunityTypes,
  stats: { type: OpportunityStats, read: opportunityStats },
}) {
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
  migrations: [opportunityTable],
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
