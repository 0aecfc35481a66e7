import { visibleContacts } from '../../crm/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState, requireNewStatus } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, momentOfDay, organizationZone } from '../../kernel/time/days.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { accepted, rejected, statusAt } from './answer-quote.ts'
import type { QuoteRecordedMethod } from './quote-decision.ts'
import { quote } from './quote.record.ts'
import { quoteStates } from './quote.status.ts'
import type { Quote } from './quote.ts'

/** What a user knows of the decision of a customer. */
export interface GivenDecision {
  readonly name: string
  readonly method: QuoteRecordedMethod
  readonly decidedAt?: string | null
  readonly contactId?: string | null
  readonly email?: string | null
  readonly note?: string | null
}

type Version = number | null

/** Records that the customer accepted the quote outside of its page. */
export const recordAcceptance = (ctx: RequestContext, id: string, given: GivenDecision, expectedVersion: Version) =>
  record(ctx, id, given, expectedVersion, null)

/** As `recordAcceptance`; the customer declined. */
export const recordRejection = (
  ctx: RequestContext,
  id: string,
  given: GivenDecision & { readonly reason?: string | null },
  expectedVersion: Version,
) => record(ctx, id, given, expectedVersion, { reason: given.reason ?? null })

/** The first decision counts, whether the customer made it on the page or a user records it: later ones are refused with INVALID_STATE. */
function record(
  ctx: RequestContext,
  id: string,
  given: GivenDecision,
  expectedVersion: Version,
  rejection: { readonly reason: string | null } | null,
): Promise<Quote> {
  requireWritableRole(ctx)
  const decide = async (previous: Quote, inner: RequestContext) => {
    const now = inner.clock.now().toISOString()
    const to = rejection ? 'REJECTED' : 'ACCEPTED'
    if (statusAt(previous, now) !== previous.status)
      throw await refusalInState(
        inner,
        quoteStates,
        previous,
        `A quote whose validUntil has passed cannot change to ${to}.`,
      )
    await requireNewStatus(inner, quoteStates, previous, to)
    const email = given.email ? parseEmail(given.email) : null
    const contactId = given.contactId?.toLowerCase() ?? null
    const at = await timeOf(inner, previous, given.decidedAt ?? null, now)
    const problems = [
      ...(given.decidedAt == null ? [] : timeProblems(previous, at, now)),
      ...(await contactProblems(inner, contactId)),
    ]
    if (problems.length > 0) throw invalid(...problems)
    const decision = {
      method: given.method,
      contactId,
      email,
      note: given.note ?? null,
      recordedAt: now,
      recordedById: actorIdOf(inner.caller),
    }
    const name = given.name.trim()
    const answer = rejection ? rejected(at, name, rejection.reason, decision) : accepted(at, name, decision)
    return { operation: 'UPDATE' as const, values: {}, ...answer }
  }
  return change(ctx, quote, id, decide, { expectedVersion })
}

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

/** A quote without a time of sending was created as what it is. */
const earliestOf = ({ sentAt, createdAt }: Quote): string => sentAt ?? createdAt

/**
 * The given time; without it now, but not before the sending, because the clocks of two processes differ. The begin of the day on which the quote
 * was sent, which a date without a time means, is the time of the sending.
 */
async function timeOf(ctx: RequestContext, previous: Quote, given: string | null, now: string): Promise<string> {
  const earliest = earliestOf(previous)
  if (given === null) return now > earliest ? now : earliest
  if (given >= earliest) return given
  const zone = await organizationZone(ctx)
  return given === momentOfDay(dateIn(zone, new Date(earliest)), 'BEGIN', zone) ? earliest : given
}

function timeProblems(previous: Quote, at: string, now: string): FieldProblem[] {
  if (at > now) return [problem('decidedAt', 'OUT_OF_RANGE', 'decidedAt must not be in the future.')]
  const earliest = earliestOf(previous)
  if (at >= earliest) return []
  return [problem('decidedAt', 'OUT_OF_RANGE', `decidedAt must not be before ${earliest}, when the quote was sent.`)]
}

async function contactProblems(ctx: RequestContext, contactId: string | null): Promise<FieldProblem[]> {
  if (contactId === null || (await visibleContacts(ctx, [contactId])).has(contactId)) return []
  const message = 'contactId must be the id of an existing record that you can see.'
  return [problem('contactId', 'UNKNOWN_REFERENCE', message)]
}
