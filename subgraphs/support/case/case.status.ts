import { addWorkingTime, workingTimeBetween } from '../../kernel/time/business-hours.ts'
import { type BusinessHours } from '../../kernel/time/working-week.ts'
import { organizationSettings } from '../../identity/public.ts'
import { readOnce } from '../../kernel/record/collected-writes.ts'
import { mayWrite } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { Move, StateMachine, Transitions } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Case, CasePriority, CaseStatus } from './case.ts'

/** Hours from creation to the due time of the first response and of the resolution. */
export const slaHours: Readonly<Record<CasePriority, { firstResponse: number; resolution: number }>> = {
  URGENT: { firstResponse: 1, resolution: 4 },
  HIGH: { firstResponse: 4, resolution: 24 },
  MEDIUM: { firstResponse: 8, resolution: 72 },
  LOW: { firstResponse: 24, resolution: 120 },
}

/** Allowed status changes in an organization that enforces transitions. */
export const enforcedTransitions: Readonly<Record<CaseStatus, readonly CaseStatus[]>> = {
  NEW: ['OPEN', 'PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  OPEN: ['PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  PENDING_CUSTOMER: ['OPEN', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  ESCALATED: ['OPEN', 'PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'],
  RESOLVED: ['OPEN', 'ESCALATED', 'CLOSED'],
  CLOSED: ['OPEN'],
}

export const settingsOf = (ctx: RequestContext): ReturnType<typeof organizationSettings> =>
  readOnce(ctx, 'settings', () => organizationSettings(ctx))

export const areTransitionsEnforced = async (ctx: RequestContext): Promise<boolean> =>
  (await settingsOf(ctx)).enforceCaseTransitions ?? false

const shape = recordType('case')

const setTo = (to: CaseStatus): Move<Case> => ({
  operation: 'caseSetStatus',
  isPossible: async (ctx, { status }) =>
    mayWrite(ctx.caller, shape(), 'status') &&
    (enforcedTransitions[status].includes(to) || !(await areTransitionsEnforced(ctx))),
})

/** From a status to every other one. */
const others = (from: CaseStatus): Transitions<CaseStatus, Case>[CaseStatus] =>
  Object.fromEntries(
    (Object.keys(enforcedTransitions) as CaseStatus[]).filter((to) => to !== from).map((to) => [to, [setTo(to)]]),
  )

/** Every status may follow every other one, unless the organization enforces transitions. */
export const caseStates: StateMachine<Case, CaseStatus> = {
  name: 'case',
  scope: 'WRITE_CASES',
  transitions: {
    NEW: others('NEW'),
    OPEN: others('OPEN'),
    PENDING_CUSTOMER: others('PENDING_CUSTOMER'),
    ESCALATED: others('ESCALATED'),
    RESOLVED: others('RESOLVED'),
    CLOSED: others('CLOSED'),
  },
}

export const isDone = (status: CaseStatus): boolean => status === 'RESOLVED' || status === 'CLOSED'

/** The time that is `hours` after `from`, counted in the business hours of the calendar; without a calendar every hour counts. */
export const hoursAfter = (from: string, hours: number, calendar: BusinessHours | null = null): string =>
  addWorkingTime(from, hours * 3_600_000, calendar)

export interface StatusChange {
  readonly values: Partial<Case>
  readonly events: readonly string[]
}

type Before = Pick<
  Case,
  'status' | 'priority' | 'slaDueAt' | 'pausedAt' | 'resolvedAt' | 'closedAt' | 'escalationLevel' | 'reopenCount'
>

/** All values and events of a status change. The same status changes nothing. */
export function statusChange(
  before: Before,
  to: CaseStatus,
  now: string,
  calendar: BusinessHours | null = null,
): StatusChange {
  if (before.status === to) return { values: {}, events: [] }
  return {
    values: {
      status: to,
      ...pause(before, to, now, calendar),
      ...escalation(before, to, now),
      ...completion(before, to, now),
    },
    events: ['case.status_changed', ...(to === 'ESCALATED' ? ['case.escalated'] : [])],
  }
}

/**
 * Resets `slaBreachedAt` if the due time moves to the future or is removed, so that missing the new due time emits an event again. A new
 * due time in the past resets nothing, because its breach event was already emitted.
 */
export function breachReset(
  before: Pick<Case, 'slaDueAt' | 'slaBreachedAt'>,
  values: Partial<Case>,
  now: string,
): Partial<Case> {
  const { slaDueAt = before.slaDueAt } = values
  const isNewDueTime =
    before.slaBreachedAt !== null && slaDueAt !== before.slaDueAt && (slaDueAt === null || slaDueAt > now)
  return isNewDueTime ? { slaBreachedAt: null } : {}
}

/** PENDING_CUSTOMER stops the SLA clock; leaving it moves the due time by the working time of the pause. */
function pause(before: Before, to: CaseStatus, now: string, calendar: BusinessHours | null): Partial<Case> {
  if (to === 'PENDING_CUSTOMER') return { pausedAt: now }
  if (!before.pausedAt) return {}
  const waitedMs = workingTimeBetween(before.pausedAt, now, calendar)
  return { pausedAt: null, ...(before.slaDueAt && { slaDueAt: addWorkingTime(before.slaDueAt, waitedMs, calendar) }) }
}

function escalation(before: Before, to: CaseStatus, now: string): Partial<Case> {
  if (to !== 'ESCALATED') return {}
  const raised = before.priority === 'LOW' || before.priority === 'MEDIUM' ? { priority: 'HIGH' as const } : {}
  return { escalatedAt: now, escalationLevel: before.escalationLevel + 1, ...raised }
}

function completion(before: Before, to: CaseStatus, now: string): Partial<Case> {
  if (to === 'RESOLVED') return { resolvedAt: now, closedAt: null }
  if (to === 'CLOSED') return { closedAt: now, resolvedAt: before.resolvedAt ?? now }
  if (isDone(before.status)) return { resolvedAt: null, closedAt: null, reopenCount: before.reopenCount + 1 }
  return {}
}
