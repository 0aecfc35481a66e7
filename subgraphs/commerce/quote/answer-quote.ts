import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { QuoteDecision } from './quote-decision.ts'
import { quote } from './quote.record.ts'
import type { Quote, QuoteStatus } from './quote.ts'

interface Answer {
  implied: Partial<Quote>
  events: string[]
}
type Step = (previous: Quote, now: string) => Answer | null

/** The status at a time: a sent quote is EXPIRED as soon as its `validUntil` has passed, also before the job has run. */
export const statusAt = ({ status, validUntil }: Pick<Quote, 'status' | 'validUntil'>, now: string): QuoteStatus =>
  status === 'SENT' && validUntil !== null && validUntil <= now ? 'EXPIRED' : status

/** What the acceptance of the customer changes, on the page or recorded by a user. */
export const accepted = (acceptedAt: string, acceptedByName: string, decision: QuoteDecision): Answer => ({
  implied: { status: 'ACCEPTED', acceptedAt, acceptedByName, decision },
  events: ['quote.accepted'],
})

/** As `accepted`; the page does not ask who rejects. */
export const rejected = (
  rejectedAt: string,
  rejectedByName: string | null,
  rejectionReason: string | null,
  decision: QuoteDecision,
): Answer => ({
  implied: { status: 'REJECTED', rejectedAt, rejectedByName, rejectionReason, decision },
  events: ['quote.rejected'],
})

/** Changes a sent quote, as the platform. A quote that is overdue expires instead, and any other quote stays as it is. */
function changeSent(ctx: RequestContext, id: string, step: Step): Promise<Quote> {
  const now = ctx.clock.now().toISOString()
  return change(ctx, quote, id, (previous) => {
    const expired = { implied: { status: 'EXPIRED', expiredAt: now } as const, events: ['quote.expired'] }
    const isOverdue = statusAt(previous, now) !== previous.status
    const taken = isOverdue ? expired : previous.status === 'SENT' ? step(previous, now) : null
    return { operation: 'UPDATE', values: {}, ...taken }
  })
}

/** Expires the quote if it is overdue. */
export const expireQuote = (ctx: RequestContext, id: string): Promise<Quote> => changeSent(ctx, id, () => null)

/** Remembers when the page of the quote was first opened. */
export const viewQuote = (ctx: RequestContext, id: string): Promise<Quote> =>
  changeSent(ctx, id, ({ viewedAt }, now) =>
    viewedAt === null ? { implied: { viewedAt: now }, events: ['quote.viewed'] } : null,
  )

const onPage = (recordedAt: string): QuoteDecision => ({
  method: 'PUBLIC_PAGE',
  contactId: null,
  email: null,
  note: null,
  recordedAt,
  recordedById: null,
})

/** A second answer changes nothing: the first one counts. */
export const acceptQuote = (ctx: RequestContext, id: string, acceptedByName: string): Promise<Quote> =>
  changeSent(ctx, id, (_previous, now) => accepted(now, acceptedByName, onPage(now)))

/** As `acceptQuote`. */
export const rejectQuote = (ctx: RequestContext, id: string, rejectionReason: string | null): Promise<Quote> =>
  changeSent(ctx, id, (_previous, now) => rejected(now, null, rejectionReason, onPage(now)))
