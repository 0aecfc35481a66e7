import { invalid, type FieldProblem, type Refusal } from '../../kernel/errors.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import { mayWrite } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import {
  refusalInState,
  refusalOfFirstState,
  requireAllowedTransition,
  type Move,
  type StateMachine,
} from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { fullName } from '../full-name.ts'
import type { LeadRating, LeadStatus } from './lead.enumerations.ts'
import type { Lead } from './lead.ts'

const shape = recordType('lead')

const update: Move<Lead> = {
  operation: 'leadUpdate',
  isPossible: ({ caller }) => mayWrite(caller, shape(), 'status'),
}
const convert: Move<Lead> = {
  operation: 'leadConvert',
  scopes: ['WRITE_ACCOUNTS', 'WRITE_CONTACTS', 'WRITE_LEADS', 'WRITE_OPPORTUNITIES'],
}
const [set, converted] = [[update], [convert]]

/** A change sets every status but CONVERTED. An unqualified lead must be reopened first. */
export const leadStates: StateMachine<Lead, LeadStatus> = {
  name: 'lead',
  scope: 'WRITE_LEADS',
  transitions: {
    NEW: { CONTACTED: set, QUALIFIED: set, NURTURING: set, UNQUALIFIED: set, CONVERTED: converted },
    CONTACTED: { NEW: set, QUALIFIED: set, NURTURING: set, UNQUALIFIED: set, CONVERTED: converted },
    QUALIFIED: { NEW: set, CONTACTED: set, NURTURING: set, UNQUALIFIED: set, CONVERTED: converted },
    NURTURING: { NEW: set, CONTACTED: set, QUALIFIED: set, UNQUALIFIED: set, CONVERTED: converted },
    UNQUALIFIED: { NEW: set },
    CONVERTED: {},
  },
}

export const automaticRating = (leadScore: number | null): LeadRating | null =>
  leadScore === null ? null : leadScore >= 70 ? 'HOT' : leadScore >= 40 ? 'WARM' : 'COLD'

/** The refusal of every change of a converted lead. */
const isConverted = (ctx: RequestContext, previous: Lead): Promise<Refusal> =>
  refusalInState(ctx, leadStates, previous, 'The lead is converted; a converted lead cannot be changed.')

/** What follows from a requested create or update: the moves of the status, and the events. */
export async function decideLead(
  ctx: RequestContext,
  given: Partial<Lead>,
  previous: Lead | null,
): Promise<Decided<Lead>> {
  if (previous?.status === 'CONVERTED') throw await isConverted(ctx, previous)
  const from = previous?.status ?? null
  const to = given.status ?? from ?? 'NEW'
  if (to !== from) await requireMove(ctx, previous, to)
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

async function requireMove(ctx: RequestContext, previous: Lead | null, to: LeadStatus): Promise<void> {
  if (to === 'CONVERTED') {
    const message = 'A lead becomes CONVERTED only by a conversion; use the convert operation.'
    if (!previous)
      throw refusalOfFirstState(message, ['NEW', 'CONTACTED', 'QUALIFIED', 'NURTURING', 'UNQUALIFIED'], 'leadCreate')
    throw await refusalInState(ctx, leadStates, previous, message)
  }
  if (previous) await requireAllowedTransition(ctx, leadStates, previous, to)
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

/** A converted lead is neither deleted nor restored. */
export async function requireNotConverted(
  ctx: RequestContext,
  next: Lead,
  previous: Lead | null,
): Promise<FieldProblem[]> {
  if (previous?.status === 'CONVERTED' && next.deletedAt !== previous.deletedAt) throw await isConverted(ctx, previous)
  return []
}

export function leadProblems(next: Lead, previous: Lead | null): FieldProblem[] {
  if (![next.lastName, next.company, next.email].some((text) => text?.trim()))
    return [
      {
        path: 'lastName',
        code: 'REQUIRED',
        message: 'A lead must have at least one of lastName, company and email.',
      },
    ]
  if (next.email === null || next.email === previous?.email || parseEmail(next.email) !== null) return []
  return [{ path: 'email', code: 'NOT_AN_EMAIL', message: 'email must be an email address.' }]
}
