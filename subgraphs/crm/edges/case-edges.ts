import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

export const Case = extendedEntity('Case', {
  accountId: 'Id of the account that the case is about; null if none.',
  contactId: 'Id of the contact that the case is about; null if none.',
  opportunityId: 'Id of the opportunity that the case is about; null if none.',
})

export const caseEdges: readonly Resource[] = [
  edgeToReferenced(Case, 'account', {
    record: account,
    by: 'accountId',
    description: 'The account of the case; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Case, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact of the case; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Case, 'opportunity', {
    record: opportunity,
    by: 'opportunityId',
    description: 'The opportunity of the case; null if there is none or the caller does not see it.',
  }),
]
