import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { Contact } from '../contact/contact.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { opportunityTypes } from './opportunity.inputs.ts'
import { opportunity } from './opportunity.record.ts'

const opportunities = recordsOf(opportunity)

/** The edge from a record to the opportunities that refer to it in a column. */
function edge(
  type: new () => { id: string },
  column: 'accountId' | 'contactIds' | 'pipelineId',
  which: string,
): Resource {
  @Resolver(() => type)
  class OpportunitiesResolver {
    @FieldResolver(() => opportunityTypes.Connection, {
      nullable: true,
      description: `Live opportunities ${which} that the caller sees, newest first by default; null if the caller lacks READ_OPPORTUNITIES.`,
    })
    opportunities(
      @Root() root: { readonly id: string },
      @Args(() => opportunityTypes.ConnectionArgs) args: ConnectionArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return opportunities.children(ctx, column, root.id, args, info)
    }
  }
  return { resolver: OpportunitiesResolver }
}

export const opportunityEdges: readonly Resource[] = [
  edge(Account, 'accountId', 'of the account'),
  edge(Contact, 'contactIds', 'in which the contact has a role'),
  edge(Pipeline, 'pipelineId', 'in the pipeline'),
]
