import { addWorkingTime, workingTimeBetween } from '../../kernel/business-hours.ts'
import { type BusinessHours } from '../../kernel/working-week.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Case, CasePriority, CaseStatus } from './case.ts'

/** Hours until the first response and until the resolution. */
export const slaHours: Readonly<Record<CasePriority, { firstResponse: number; resolution: number }>> = {
  URGENT: { firstResponse: 1, resolution: 4 },
  HIGH: { firstResponse: 4, resolution: 24 },
  MEDIUM: { firstResponse: 8, resolution: 72 },
  LOW: { firstResponse: 24, resolution: 120 },
}

/** Where a case may go when its organization enforces transitions. */
const transitions: Readonly<Record<CaseStatus, readonly CaseStatus[]>> = {
  NEW: ['OPEN', 'PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  OPEN: ['PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  PENDING_CUSTOMER: ['OPEN', 'ESCALATED', 'RESOLVED', 'CLOSED'],
  ESCALATED: ['OPEN', 'PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'],
  RESOLVED: ['OPEN', 'ESCALATED', 'CLOSED'],
  CLOSED: ['OPEN'],
}

export const isDone = (status: CaseStatus): boolean => status === 'RESOLVED' || status === 'CLOSED'

/** When so many hours have passed in the business hours of the organization, or by the clock when it has none. */
export const hoursAfter = (from: string, hours: number, calendar: BusinessHours | null = null): string =>
  addWorkingTime(from, hours * 3_600_000, calendar)

/** Throws INVALID_STATE with what would be allowed. */
export function mustBeAllowed(from: CaseStatus, to: CaseStatus): void {
  const allowed = transitions[from]
  if (from === to || allowed.includes(to)) return
  throw new Refusal('INVALID_STATE', `A case that is ${from} cannot become ${to}.`, { allowed: [...allowed] })
}

export interface StatusChange {
  readonly values: Partial<Case>
  readonly events: readonly string[]
}

type Before = Pick<
  Case,
  'status' | 'priority' | 'slaDueAt' | 'pausedAt' | 'resolvedAt' | 'closedAt' | 'escalationLevel' | 'reopenCount'
>

/** What else changes when a case gets this status. The same status changes nothing. */
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
 * A due date that lies ahead begins anew: missing it is announced, although one before it was missed. One that has passed already
 * tells nothing that was not announced.
 */
export function dueAnew(
  before: Pick<Case, 'slaDueAt' | 'slaBreachedAt'>,
  values: Partial<Case>,
  now: string,
): Partial<Case> {
  const { slaDueAt = before.slaDueAt } = values
  const isAnew = before.slaBreachedAt !== null && slaDueAt !== before.slaDueAt && (slaDueAt === null || slaDueAt > now)
  return isAnew ? { slaBreachedAt: null } : {}
}

/** Waiting for the customer stops the SLA clock; leaving that state moves the due date by the working time waited. */
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
