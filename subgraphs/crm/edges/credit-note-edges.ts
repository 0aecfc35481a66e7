import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'

export const CreditNote = extendedEntity('CreditNote', {
  customerId: 'Id of the account that gets the credit; null if none.',
  contactId: 'Id of the contact who gets the credit note; null if none.',
})

export const creditNoteEdges: readonly Resource[] = [
  edgeToReferenced(CreditNote, 'customer', {
    record: account,
    by: 'customerId',
    description: 'The account that gets the credit; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(CreditNote, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact who gets the credit note; null if there is none or the caller does not see it.',
  }),
]
