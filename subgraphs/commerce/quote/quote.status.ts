import { organizationSettings } from '../../identity/public.ts'
import type { Role } from '../../kernel/context.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { refusalInState, type Move, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Quote, QuoteStatus } from './quote.ts'

/** The roles that decide on quotes in review. */
export const reviewers: readonly Role[] = ['OWNER', 'ADMIN', 'MANAGER']

/** Whether the organization sends only approved quotes. */
export const isApprovalRequired = async (ctx: RequestContext): Promise<boolean> =>
  (await organizationSettings(ctx)).requireQuoteApproval ?? false

const sendDraft: Move<Quote> = {
  operation: 'quoteSend',
  isPossible: async (ctx) => !(await isApprovalRequired(ctx)),
}
/** Until `validUntil`, also before the job has seen that it has passed. */
const decide = (operation: 'quoteAccept' | 'quoteDecline'): Move<Quote> => ({
  operation,
  isPossible: ({ clock }, { validUntil }) => validUntil === null || validUntil > clock.now().toISOString(),
})
const convert: Move<Quote> = { operation: 'quoteConvert', scopes: ['WRITE_QUOTES', 'WRITE_ORDERS'] }

export const quoteStates: StateMachine<Quote, QuoteStatus> = {
  name: 'quote',
  scope: 'WRITE_QUOTES',
  transitions: {
    DRAFT: { IN_REVIEW: ['quoteSubmit'], SENT: [sendDraft], CANCELLED: ['quoteCancel'] },
    IN_REVIEW: {
      APPROVED: [{ operation: 'quoteApprove', roles: reviewers }],
      DRAFT: ['quoteRecall', { operation: 'quoteReject', roles: reviewers }],
      CANCELLED: ['quoteCancel'],
    },
    APPROVED: { SENT: ['quoteSend'], CANCELLED: ['quoteCancel'] },
    // A job makes it EXPIRED.
    SENT: {
      ACCEPTED: [decide('quoteAccept')],
      REJECTED: [decide('quoteDecline')],
      EXPIRED: [],
      CANCELLED: ['quoteCancel'],
    },
    ACCEPTED: { CONVERTED: [convert] },
    REJECTED: {},
    EXPIRED: {},
    CANCELLED: {},
    CONVERTED: {},
  },
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
export async function requireEditable(ctx: RequestContext, previous: Quote, next: Quote): Promise<void> {
  if (previous.status === 'DRAFT') return
  const changed = frozenFields.filter((name) => !isSameValue(previous[name], next[name]))
  if (changed.length === 0) return
  const { status } = previous
  const way = status === 'IN_REVIEW' ? 'return it to DRAFT first' : 'create a revision of it'
  const message = `A quote with status ${status} cannot change ${changed.join(', ')}; ${way}.`
  throw await refusalInState(ctx, quoteStates, previous, message)
}
