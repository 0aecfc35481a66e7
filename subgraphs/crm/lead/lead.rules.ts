import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { fullName } from '../full-name.ts'
import type { LeadRating, LeadStatus } from './lead.enumerations.ts'
import type { Lead } from './lead.ts'

const settable: readonly LeadStatus[] = ['NEW', 'CONTACTED', 'QUALIFIED', 'NURTURING', 'UNQUALIFIED']

/** The statuses that a client may set. */
export const allowedMoves = (from: LeadStatus | null): readonly LeadStatus[] => {
  if (from === 'CONVERTED') return []
  return from === 'UNQUALIFIED' ? ['NEW'] : settable.filter((status) => status !== from)
}

export const automaticRating = (leadScore: number | null): LeadRating | null =>
  leadScore === null ? null : leadScore >= 70 ? 'HOT' : leadScore >= 40 ? 'WARM' : 'COLD'

/** The refusal of every change of a converted lead. */
export const isConverted = (): Refusal =>
  new Refusal('INVALID_STATE', 'The lead is converted; a converted lead cannot be changed.', { allowed: [] })

/** What follows from a requested create or update: the moves of the status, and the events. */
export async function decideLead(
  ctx: RequestContext,
  given: Partial<Lead>,
  previous: Lead | null,
): Promise<Decided<Lead>> {
  if (previous?.status === 'CONVERTED') throw isConverted()
  const from = previous?.status ?? null
  const to = given.status ?? from ?? 'NEW'
  if (to !== from) requireMove(from, to)
  const isResponse = to !== from && (to === 'CONTACTED' || to === 'QUALIFIED')
  const ownerId = given.ownerId?.toLowerCase()
  // Receivers of events rely on the owner.
  if (!previous && !ownerId && ctx.caller.kind === 'SYSTEM')
    throw invalid({ path: 'ownerId', code: 'REQUIRED', message: 'ownerId is required for a lead without a creator.' })
  return {
    implied: {
      ...(isResponse && !previous?.firstResponseAt && { firstResponseAt: ctx.clock.now().toISOString() }),
      ...(from === 'UNQUALIFIED' && to === 'NEW' && { unqualifiedReason: given.unqualifiedReason ?? null }),
    },
    events: previous && ownerId && ownerId !== previous.ownerId ? ['lead.assigned'] : [],
  }
}

function requireMove(from: LeadStatus | null, to: LeadStatus): void {
  const allowed = allowedMoves(from)
  if (allowed.includes(to)) return
  const message =
    to === 'CONVERTED'
      ? 'A lead becomes CONVERTED only by a conversion; use the convert operation.'
      : `A lead cannot go from ${from} to ${to}; it can go to ${allowed.join(', ')}.`
  throw new Refusal('INVALID_STATE', message, { allowed })
}

/** Values that follow from others at every write. */
export function calculatedOfLead(next: Lead, previous: Lead | null, given: Partial<Lead>): Partial<Lead> {
  const ratingOverridden = given.rating === undefined ? (previous?.ratingOverridden ?? false) : given.rating !== null
  return {
    name: fullName(next.firstName, next.lastName),
    ratingOverridden,
    ...(!ratingOverridden && { rating: automaticRating(next.leadScore) }),
  }
}

export function leadProblems(next: Lead, previous: Lead | null): FieldProblem[] {
  if (previous?.status === 'CONVERTED' && next.deletedAt !== previous.deletedAt) throw isConverted()
  if (next.email === null || next.email === previous?.email || parseEmail(next.email) !== null) return []
  return [{ path: 'email', code: 'NOT_AN_EMAIL', message: 'email must be an email address.' }]
}
