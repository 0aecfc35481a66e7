import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { contact } from '../contact/contact.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

export const SmartEmailDraft = extendedEntity('SmartEmailDraft', {
  contactId: 'Id of the contact to whom it is written; null if none.',
  opportunityId: 'Id of the opportunity that it is about; null if none.',
})

export const smartEmailDraftEdges: readonly Resource[] = [
  edgeToReferenced(SmartEmailDraft, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact to whom it is written; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(SmartEmailDraft, 'opportunity', {
    record: opportunity,
    by: 'opportunityId',
    description: 'The opportunity that it is about; null if there is none or the caller does not see it.',
  }),
]
