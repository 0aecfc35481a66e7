import type { RecordShape } from '../../kernel/record/definition.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { CaseExtension } from '../case-extension/case-extension.resolver.ts'
import { Contact } from '../contact/contact.ts'
import { contact } from '../contact/contact.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { Link } from './related-types.ts'

export interface LinkedRecord {
  /** The class of the GraphQL type. */
  readonly type: abstract new () => object
  /** Null for a record of another subgraph, which reads its fields. */
  readonly definition: RecordShape | null
}

/** The records that tasks and activities concern, as far as the graph has them. */
export const linkedRecords: Readonly<Partial<Record<Link, LinkedRecord>>> = {
  accountId: { type: Account, definition: account },
  contactId: { type: Contact, definition: contact },
  opportunityId: { type: Opportunity, definition: opportunity },
  caseId: { type: CaseExtension, definition: null },
}
