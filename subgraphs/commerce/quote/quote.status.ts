import { Refusal } from '../../kernel/errors.ts'
import type { Transitions } from '../../kernel/record/transitions.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { Quote, QuoteStatus } from './quote.ts'

/** The statuses that may follow each status. DRAFT to SENT needs that the organization requires no approval. */
export const quoteTransitions: Transitions<QuoteStatus> = {
  DRAFT: ['IN_REVIEW', 'SENT', 'CANCELLED'],
  IN_REVIEW: ['APPROVED', 'DRAFT', 'CANCELLED'],
  APPROVED: ['SENT', 'CANCELLED'],
  SENT: ['ACCEPTED', 'REJECTED', 'EXPIRED', 'CANCELLED'],
  ACCEPTED: ['CONVERTED'],
  REJECTED: [],
  EXPIRED: [],
  CANCELLED: [],
  CONVERTED: [],
}

/** The statuses in which a quote can be revised: it is frozen, and the customer has not accepted it. */
export const revisable: ReadonlySet<QuoteStatus> = new Set(['APPROVED', 'SENT', 'REJECTED', 'EXPIRED', 'CANCELLED'])

/** What the customer agrees to. It changes only in DRAFT, so an approved or sent quote stays what was approved or sent. */
const frozenFields = [
  'name',
  'opportunityId',
  'accountId',
  'contactId',
  'lineItems',
  'currency',
  'discountType',
  'discountValue',
  'shippingTotal',
  'validUntil',
  'paymentTerms',
  'terms',
] as const satisfies readonly (keyof Quote)[]

/** Throws INVALID_STATE if the change touches what is frozen in this status. */
export function requireEditable(previous: Quote, next: Quote): void {
  if (previous.status === 'DRAFT') return
  const changed = frozenFields.filter((name) => !isSameValue(previous[name], next[name]))
  if (changed.length === 0) return
  const { status } = previous
  const way = status === 'IN_REVIEW' ? 'return it to DRAFT first' : 'create a revision of it'
  throw new Refusal('INVALID_STATE', `A quote with status ${status} cannot change ${changed.join(', ')}; ${way}.`, {
    allowed: [...quoteTransitions[status]],
  })
}
