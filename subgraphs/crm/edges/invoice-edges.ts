import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'

export const Invoice = extendedEntity('Invoice', {
  customerId: 'Id of the account that must pay; null if none.',
  contactId: 'Id of the contact who gets the invoice; null if none.',
})

export const invoiceEdges: readonly Resource[] = [
  edgeToReferenced(Invoice, 'customer', {
    record: account,
    by: 'customerId',
    description: 'The account that must pay; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Invoice, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact who gets the invoice; null if there is none or the caller does not see it.',
  }),
]
