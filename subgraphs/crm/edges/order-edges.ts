import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

export const Order = extendedEntity('Order', {
  accountId: 'Id of the account that ordered; null if none.',
  opportunityId: 'Id of the opportunity to which the order belongs; null if none.',
  contactId: 'Id of the contact who ordered; null if none.',
})

export const orderEdges: readonly Resource[] = [
  edgeToReferenced(Order, 'account', {
    record: account,
    by: 'accountId',
    description: 'The account of the order; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Order, 'opportunity', {
    record: opportunity,
    by: 'opportunityId',
    description: 'The opportunity of the order; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Order, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact of the order; null if there is none or the caller does not see it.',
  }),
]
