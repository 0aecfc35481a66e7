import type { Decided } from '../../kernel/record/definition.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import {
  areTransitionsEnforced,
  breachReset,
  caseStates,
  enforcedTransitions,
  hoursAfter,
  settingsOf,
  slaHours,
  statusChange,
  type StatusChange,
} from './case.status.ts'
import type { Case, CaseStatus } from './case.ts'

/** What follows from a requested create or update: the side effects of its status, due times and events. */
export const decideCase = (
  ctx: RequestContext,
  values: Partial<Case>,
  previous: Case | null,
): Promise<Decided<Case>> => (previous ? decideUpdate(ctx, values, previous) : decideCreate(ctx, values))

/**
 * Due times follow from the priority unless the input sets them. A case created in a later status also gets the side effects of
 * that status.
 */
async function decideCreate(ctx: RequestContext, values: Partial<Case>): Promise<Decided<Case>> {
  const { businessHours = null } = await settingsOf(ctx)
  const now = ctx.clock.now().toISOString()
  const newCase = {
    status: 'NEW',
    priority: values.priority ?? 'MEDIUM',
    slaDueAt: null,
    pausedAt: null,
    resolvedAt: null,
    closedAt: null,
    escalationLevel: 0,
    reopenCount: 0,
  } as const
  const implied = statusChange(newCase, values.status ?? 'NEW', now, businessHours).values
  const hours = slaHours[implied.priority ?? newCase.priority]
  const slaDueAt = values.slaDueAt ?? hoursAfter(now, hours.resolution, businessHours)
  const firstResponseDueAt = hoursAfter(now, hours.firstResponse, businessHours)
  return { implied: { slaDueAt, firstResponseDueAt, ...implied } }
}

async function decideUpdate(ctx: RequestContext, values: Partial<Case>, previous: Case): Promise<Decided<Case>> {
  const { status } = values
  const changed = status
    ? await changeStatus(ctx, { ...previous, ...definedPriority(values) }, status)
    : { values: {}, events: [] }
  // If the input sets the due time, the end of a pause in the same change does not move it.
  const due = values.slaDueAt === undefined ? {} : { slaDueAt: values.slaDueAt }
  const events = [...changed.events, ...assignmentEvents(previous, values.assignedToId)]
  const implied = { ...changed.values, ...due }
  const reset = breachReset(previous, implied, ctx.clock.now().toISOString())
  return { implied: { ...implied, ...reset }, events }
}

const definedPriority = ({ priority }: Partial<Case>): Partial<Case> => (priority ? { priority } : {})

export async function changeStatus(ctx: RequestContext, before: Case, to: CaseStatus): Promise<StatusChange> {
  const from = before.status
  if (from === to) return { values: {}, events: [] }
  const allowed = enforcedTransitions[from]
  if (!allowed.includes(to) && (await areTransitionsEnforced(ctx))) {
    const message = `A case with status ${from} can change to ${allowed.join(', ')}, not to ${to}.`
    throw await refusalInState(ctx, caseStates, before, message)
  }
  const { businessHours = null } = await settingsOf(ctx)
  return statusChange(before, to, ctx.clock.now().toISOString(), businessHours)
}

export function assignmentEvents(previous: Case, given: string | null | undefined): string[] {
  // Input ids may be in upper case; stored ids are in lower case.
  const assignedToId = given?.toLowerCase() ?? null
  if (given === undefined || assignedToId === previous.assignedToId) return []
  return ['case.assigned']
}
