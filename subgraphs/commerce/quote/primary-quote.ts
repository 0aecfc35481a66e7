import { isOpportunityOutOfSight, setOpportunityAmount } from '../../crm/public.ts'
import type { RecordDefinition, SerializedRule } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { unrestricted } from '../../kernel/request.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { Quote } from './quote.ts'

const watched = ['isPrimary', 'opportunityId', 'lineItems', 'discountTotal', 'currency', 'deletedAt'] as const

/** The opportunity of a primary quote changes with it, so only those who see the opportunity change the quote. */
const unseen = {
  path: 'opportunityId',
  code: 'NOT_ALLOWED',
  message:
    'opportunityId must be the id of an opportunity that you can see, because it changes with its primary quote.',
}

/**
 * An opportunity has at most one primary quote: another one ceases to be it. The opportunity has the lines of its primary quote and
 * its amount before tax and shipping, and changes in the same transaction.
 */
export const onePrimaryQuote = (quote: () => RecordDefinition<Quote>): SerializedRule<Quote> => ({
  concerns: (_ctx, next, previous) =>
    next.isPrimary &&
    next.opportunityId !== null &&
    next.deletedAt === null &&
    watched.some((name) => !previous || !isSameValue(next[name], previous[name])),
  async enforce(ctx, next) {
    const opportunityId = next.opportunityId!
    if (await isOpportunityOutOfSight(ctx, opportunityId)) return [unseen]
    // The caller may not see the former primary quote.
    const inner = unrestricted(ctx)
    const former = await inner.db.query<{ id: string }>(
      `select id from commerce.quote
       where organization_id = $1 and opportunity_id = $2 and is_primary and deleted_at is null and id <> $3`,
      [next.organizationId, next.opportunityId, next.id],
    )
    for (const { id } of former)
      await change(inner, quote(), id, () => ({ operation: 'UPDATE', values: {}, implied: { isPrimary: false } }))
    const amount = exactOf(decimalOf(next.subtotal).minus(decimalOf(next.discountTotal)))
    const { currency, lineItems } = next
    await setOpportunityAmount(ctx, opportunityId, { amount, currency, lineItems })
    return []
  },
})
