import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { Contact } from '../contact/contact.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { leadTypes } from './lead.inputs.ts'
import { lead } from './lead.record.ts'

const edge = (
  type: new () => { id: string },
  by: 'convertedAccountId' | 'convertedContactId' | 'convertedOpportunityId',
  one: string,
): Resource =>
  edgeToMany(type, 'convertedLeads', {
    records: lead,
    types: leadTypes,
    by,
    nullable: true,
    description: `Live leads that were converted to this ${one} and that the caller sees, newest first by default.`,
  })

/** The edges from records to the leads whose conversion led to them. */
export const convertedLeads: readonly Resource[] = [
  edge(Account, 'convertedAccountId', 'account'),
  edge(Contact, 'convertedContactId', 'contact'),
  edge(Opportunity, 'convertedOpportunityId', 'opportunity'),
]
