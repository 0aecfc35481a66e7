import type { RecordShape } from '../../kernel/record/definition.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { Case } from '../edges/case-edges.ts'
import { Contact } from '../contact/contact.ts'
import { contact } from '../contact/contact.record.ts'
import { Lead } from '../lead/lead.ts'
import { lead } from '../lead/lead.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { Link } from './related-types.ts'

export interface LinkedRecord {
  /** The class of the GraphQL type. */
  readonly type: new () => { id: string }
  /** Null for a record of another subgraph, which reads its fields. */
  readonly definition: RecordShape | null
  /** The name of the GraphQL type. */
  readonly name: string
  /** The scope to read it. */
  readonly scope: string
}

/** The records that tasks and activities concern, as far as the graph has them. */
export const linkedRecords: Readonly<Partial<Record<Link, LinkedRecord>>> = {
  accountId: { type: Account, name: 'Account', definition: account, scope: 'READ_ACCOUNTS' },
  contactId: { type: Contact, name: 'Contact', definition: contact, scope: 'READ_CONTACTS' },
  leadId: { type: Lead, name: 'Lead', definition: lead, scope: 'READ_LEADS' },
  opportunityId: { type: Opportunity, name: 'Opportunity', definition: opportunity, scope: 'READ_OPPORTUNITIES' },
  caseId: { type: Case, name: 'Case', definition: null, scope: 'READ_CASES' },
}
