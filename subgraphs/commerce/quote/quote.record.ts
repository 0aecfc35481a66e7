import { visibleAccounts, visibleContacts, visibleOpportunities } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { documentUrl } from '../document/document-url.ts'
import { readProducts } from '../line-item/complete-lines.ts'
import { amountProblems, calculatedAmounts, sentLines } from '../line-item/document-amounts.ts'
import { onePrimaryQuote } from './primary-quote.ts'
import { quoteEvents } from './quote.events.ts'
import { quoteStates, requireEditable } from './quote.status.ts'
import { Quote } from './quote.ts'

export const quote: RecordDefinition<Quote> = defineRecord(Quote, {
  object: 'quote',
  table: 'commerce.quote',
  isCustomizable: true,
  visibleBy: ['ownerId'],
  searchable: ['quoteNumber', 'name'],
  title: 'name',
  subtitle: 'quoteNumber',
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    accountId: visibleAccounts,
    contactId: visibleContacts,
    opportunityId: visibleOpportunities,
  },
  names: { 'decision.contactId': 'contact' },
  relations: {
    account: {
      to: recordType('account'),
      by: 'accountId',
      description:
        'Conditions on the account of the quote. A quote without an account that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    opportunity: {
      to: recordType('opportunity'),
      by: 'opportunityId',
      description:
        'Conditions on the opportunity of the quote. A quote without an opportunity that the caller sees does not match. Needs READ_OPPORTUNITIES.',
    },
    contact: {
      to: recordType('contact'),
      by: 'contactId',
      description:
        'Conditions on the contact of the quote. A quote without a contact that the caller sees does not match. Needs READ_CONTACTS.',
    },
  },
  numbered: 'number',
  numberText: { column: 'quoteNumber', prefix: 'Q-' },
  unique: { quote_revision_of: 'revisionOfId', quote_primary: 'opportunityId' },
  totals: {
    by: ['status', 'approvalStatus', 'isPrimary', 'currency'],
    measures: { total: { sum: 'total' } },
  },
  amounts: {
    columns: ['subtotal', 'discountTotal', 'taxTotal', 'shippingTotal', 'total'],
    currency: 'currency',
    ratedOn: 'acceptedAt',
  },
  events: quoteEvents,
  states: quoteStates,
  async decide(ctx, values, previous) {
    return { implied: await sentLines(ctx, values, previous) }
  },
  calculated: (next, previous, given) => ({
    documentUrl: documentUrl('quotes', next),
    ...calculatedAmounts(next, previous, given),
  }),
  invariants: amountProblems,
  async checks(ctx, next, previous) {
    if (previous) await requireEditable(ctx, previous, next)
    return []
  },
  decidesAlone: true,
  readsTogether: readProducts,
  serializedRules: [onePrimaryQuote(() => quote)],
})
