import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { Contact } from '../contact/contact.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { leadTypes } from './lead.inputs.ts'
import { lead } from './lead.record.ts'
import type { Lead } from './lead.ts'

const leads = recordsOf(lead)

/** The edge `convertedLeads` of a record type to the leads whose conversion led to the record. */
function convertedLeadsOf(
  type: abstract new () => { id: string },
  column: 'convertedAccountId' | 'convertedContactId' | 'convertedOpportunityId',
  one: string,
): Resource {
  @Resolver(() => type)
  class ConvertedLeadsResolver {
    @FieldResolver(() => leadTypes.Connection, {
      nullable: true,
      description: `Live leads that were converted to this ${one} and that the caller sees, newest first by default.`,
    })
    convertedLeads(
      @Root() root: Pick<Lead, 'id'>,
      @Args(() => leadTypes.ConnectionArgs) args: ConnectionArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return leads.children(ctx, column, root.id, args, info)
    }
  }
  return { resolver: ConvertedLeadsResolver }
}

export const convertedLeadsResources: readonly Resource[] = [
  convertedLeadsOf(Account, 'convertedAccountId', 'account'),
  convertedLeadsOf(Contact, 'convertedContactId', 'contact'),
  convertedLeadsOf(Opportunity, 'convertedOpportunityId', 'opportunity'),
]
