import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

export const Quote = extendedEntity('Quote', {
  accountId: 'Id of the account to which the quote is made; null if none.',
  opportunityId: 'Id of the opportunity to which the quote belongs; null if none.',
  contactId: 'Id of the contact to whom the quote is addressed; null if none.',
})

export const quoteEdges: readonly Resource[] = [
  edgeToReferenced(Quote, 'account', {
    record: account,
    by: 'accountId',
    description: 'The account of the quote; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Quote, 'opportunity', {
    record: opportunity,
    by: 'opportunityId',
    description: 'The opportunity of the quote; null if there is none or the caller does not see it.',
  }),
  edgeToReferenced(Quote, 'contact', {
    record: contact,
    by: 'contactId',
    description: 'The contact of the quote; null if there is none or the caller does not see it.',
  }),
]
