import { visibleAccounts } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { derivedAmounts } from '../line-item/derived-amounts.ts'
import { quoteEvents } from './quote.events.ts'
import { requireEditable } from './quote.status.ts'
import { Quote } from './quote.ts'

export const quote: RecordDefinition<Quote> = defineRecord(Quote, {
  object: 'quote',
  table: 'commerce.quote',
  visibleBy: ['ownerId'],
  searchable: ['quoteNumber', 'name'],
  hasSearchText: true,
  references: { ownerId: activeUsers, accountId: visibleAccounts },
  relations: {
    account: {
      to: recordType('account'),
      by: 'accountId',
      description:
        'Conditions on the account of the quote. A quote without an account that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
  },
  numbered: 'number',
  numberText: { column: 'quoteNumber', prefix: 'Q-' },
  unique: { quote_revision_of: 'revisionOfId', quote_primary: 'opportunityId' },
  totals: { by: ['status', 'approvalStatus', 'isPrimary'] },
  events: quoteEvents,
  async derived(ctx, next, previous, given) {
    if (previous) requireEditable(previous, next)
    return derivedAmounts(ctx, next, previous, given)
  },
})
