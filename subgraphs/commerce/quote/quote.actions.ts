import { invalid } from '../../kernel/errors.ts'
import { withoutFormulas } from '../../kernel/record/computed-values.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { changeStatus } from '../../kernel/record/change-status.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { refusalInState, requireAllowedTransition } from '../../kernel/record/transitions.ts'
import { requireRole } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { quote } from './quote.record.ts'
import { isApprovalRequired, quoteStates, reviewers, revisable } from './quote.status.ts'
import type { Quote } from './quote.ts'

type Version = number | null

export function requireLines({ lineItems }: Pick<Quote, 'lineItems'>): void {
  if (lineItems.length > 0) return
  throw invalid({ path: 'lineItems', code: 'REQUIRED', message: 'lineItems must have at least one line.' })
}

/** Asks for the approval of a draft. */
export const submitQuote = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Quote> =>
  changeStatus(ctx, quote, id, 'IN_REVIEW', expectedVersion, (previous) => {
    requireLines(previous)
    return { implied: { approvalStatus: 'PENDING', reviewedById: null, reviewedAt: null, reviewComment: null } }
  })

/** Takes a submitted quote back to DRAFT before anybody has decided. */
export const recallQuote = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Quote> =>
  changeStatus(ctx, quote, id, 'DRAFT', expectedVersion, () => ({ implied: { approvalStatus: 'NOT_REQUIRED' } }))

/** A manager, an admin or an owner decides; a user may decide on their own quote. */
export async function reviewQuote(
  ctx: RequestContext,
  id: string,
  approvalStatus: 'APPROVED' | 'REJECTED',
  reviewComment: string | null,
  expectedVersion: Version,
): Promise<Quote> {
  requireRole(ctx, ...reviewers)
  const to = approvalStatus === 'APPROVED' ? 'APPROVED' : 'DRAFT'
  return changeStatus(ctx, quote, id, to, expectedVersion, (_previous, reviewedAt) => ({
    implied: { approvalStatus, reviewedById: ctx.caller.userId, reviewedAt, reviewComment },
  }))
}

/** Withdraws a quote that the customer has not answered. */
export const cancelQuote = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Quote> =>
  changeStatus(ctx, quote, id, 'CANCELLED', expectedVersion)

/** Throws INVALID_STATE unless the quote may be sent: approved, or a draft where the organization requires no approval. */
export async function requireSendable(ctx: RequestContext, previous: Quote): Promise<void> {
  await requireAllowedTransition(ctx, quoteStates, previous, 'SENT')
  if (previous.status !== 'DRAFT' || !(await isApprovalRequired(ctx))) return
  const message = 'Your organization sends only approved quotes; submit the quote for approval.'
  throw await refusalInState(ctx, quoteStates, previous, message)
}

const copied = [
  'ownerId',
  'name',
  'opportunityId',
  'accountId',
  'contactId',
  'currency',
  'lineItems',
  'discountType',
  'discountValue',
  'shippingTotal',
  'paymentTerms',
  'terms',
  'notes',
  'isPrimary',
  'tags',
  'metadata',
  'customFields',
] as const satisfies readonly (keyof Quote)[]

/**
 * Creates a draft with the content of a quote, as its next revision. The customer can no longer accept the earlier one. A quote has at
 * most one revision that is not deleted.
 */
export function reviseQuote(ctx: RequestContext, id: string, expectedVersion: Version): Promise<Quote> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    // Concurrent requests wait here, before they have changed anything.
    const previous = await requireRecord(inner, quote, id, { isLocked: true })
    await requireRevisable(inner, previous)
    const { validUntil, revision, status } = previous
    const isOpen = quoteStates.transitions[status].CANCELLED !== undefined
    const retired = { isPrimary: false, ...(isOpen && { status: 'CANCELLED' as const }) }
    await change(inner, quote, id, () => ({ operation: 'UPDATE', values: {}, implied: retired }), { expectedVersion })
    const isFuture = validUntil !== null && validUntil > inner.clock.now().toISOString()
    const content = Object.fromEntries(copied.map((name) => [name, previous[name]])) as Partial<Quote>
    content.customFields = withoutFormulas(shapeFor(inner, quote).columns, previous.customFields)
    const implied = {
      ...content,
      validUntil: isFuture ? validUntil : null,
      revision: revision + 1,
      revisionOfId: previous.id,
    }
    return recordsOf(quote).create(inner, {}, implied)
  })
}

async function requireRevisable(ctx: RequestContext, previous: Quote): Promise<void> {
  const { status } = previous
  if (revisable.has(status)) return
  throw await refusalInState(ctx, quoteStates, previous, `A quote with status ${status} cannot be revised.`)
}
