import { visibleAccounts, visibleOpportunities } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { amountProblems, derivedAmounts, sentLines } from '../line-item/derived-amounts.ts'
import { quoteEvents } from './quote.events.ts'
import { requireEditable } from './quote.status.ts'
import { Quote } from './quote.ts'

export const quote: RecordDefinition<Quote> = defineRecord(Quote, {
  object: 'quote',
  table: 'commerce.quote',
  visibleBy: ['ownerId'],
  searchable: ['quoteNumber', 'name'],
  hasSearchText: true,
  references: { ownerId: activeUsers, accountId: visibleAccounts, opportunityId: visibleOpportunities },
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
  },
  numbered: 'number',
  numberText: { column: 'quoteNumber', prefix: 'Q-' },
  unique: { quote_revision_of: 'revisionOfId', quote_primary: 'opportunityId' },
  totals: { by: ['status', 'approvalStatus', 'isPrimary'] },
  events: quoteEvents,
  async derive(ctx, values, previous) {
    return { implied: await sentLines(ctx, values, previous) }
  },
  derived(next, previous, given) {
    if (previous) requireEditable(previous, next)
    return derivedAmounts(next, previous, given)
  },
  invariants: amountProblems,
})
