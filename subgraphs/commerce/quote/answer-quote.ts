import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { quote } from './quote.record.ts'
import type { Quote } from './quote.ts'

type Step = (previous: Quote, now: string) => { implied: Partial<Quote>; events: string[] } | null

/** Whether the time to answer has passed. The quote may still have the status SENT until the job has run. */
export const isOverdue = ({ status, validUntil }: Pick<Quote, 'status' | 'validUntil'>, now: string): boolean =>
  status === 'SENT' && validUntil !== null && validUntil <= now

/** Changes a sent quote, as the platform. A quote that is overdue expires instead, and any other quote stays as it is. */
function changeSent(ctx: RequestContext, id: string, step: Step): Promise<Quote> {
  const now = ctx.clock.now().toISOString()
  return change(ctx, quote, id, (previous) => {
    const expired = { implied: { status: 'EXPIRED', expiredAt: now } as const, events: ['quote.expired'] }
    const taken = isOverdue(previous, now) ? expired : previous.status === 'SENT' ? step(previous, now) : null
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

/** A second answer changes nothing: the first one counts. */
export const acceptQuote = (ctx: RequestContext, id: string, acceptedByName: string): Promise<Quote> =>
  changeSent(ctx, id, (_previous, now) => ({
    implied: { status: 'ACCEPTED', acceptedAt: now, acceptedByName },
    events: ['quote.accepted'],
  }))

/** As `acceptQuote`. */
export const rejectQuote = (ctx: RequestContext, id: string, rejectionReason: string | null): Promise<Quote> =>
  changeSent(ctx, id, (_previous, now) => ({
    implied: { status: 'REJECTED', rejectedAt: now, rejectionReason },
    events: ['quote.rejected'],
  }))
