import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { Account } from '../account/account.ts'
import { contact } from '../contact/contact.record.ts'
import { Contact } from '../contact/contact.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { leadTypes } from './lead.inputs.ts'
import { leadAddresses, leadAddressForm, leadTable } from './lead.migrations.ts'
import { lead } from './lead.record.ts'
import { LeadStats, leadStats } from './lead.stats.ts'
import { Lead } from './lead.ts'

const accounts = recordsOf(account)
const contacts = recordsOf(contact)
const opportunities = recordsOf(opportunity)

@Resolver(() => Lead)
export class LeadResolver extends standardResolver(lead, {
  scope: 'LEADS',
  types: leadTypes,
  stats: { type: LeadStats, read: leadStats },
}) {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the conversion; null before, or if the caller does not see it.',
  })
  convertedAccount(@Root() root: Lead, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.convertedAccountId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact of the conversion; null before, or if the caller does not see it.',
  })
  convertedContact(@Root() root: Lead, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.convertedContactId, info)
  }

  @FieldResolver(() => Opportunity, {
    nullable: true,
    description: 'The opportunity of the conversion; null if there is none or the caller does not see it.',
  })
  convertedOpportunity(@Root() root: Lead, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return opportunities.reference(ctx, root.convertedOpportunityId, info)
  }
}

export const leadResource: Resource = {
  resolver: LeadResolver,
  entities: { Lead: lead },
  migrations: [leadTable, leadAddresses, leadAddressForm],
  rest: restArea(lead, {
    path: 'leads',
    filters: [
      'status',
      'leadSource',
      'rating',
      'email',
      'company',
      'industry',
      'country',
      { name: 'owner', column: 'ownerId', operator: 'eq' },
      'externalId',
      createdAfter,
      updatedAfter,
      ids,
    ],
  }),
}
