import { compileStoredConditions } from '../../../kernel/condition/conditions.ts'
import { fieldsOfShape } from '../../../kernel/condition/condition-fields.ts'
import type { Row } from '../../../kernel/database/sql.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { isStoredEmail } from '../../../kernel/values/email-address.ts'
import type { SequenceAttemptResult, SequenceEnrollmentStatus } from '../enrollment.enumerations.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { nextAllowed } from '../send-window.ts'
import type { ReadSequence, ReadStep } from '../sequence-reading.ts'
import { branchOf, dueAt, stepAfter, stepInPlaceOf } from '../step-order.ts'
import { windowOf } from '../window-of.ts'
import { visitKey, type Snapshot } from './snapshot.ts'

/** How often an enrollment may come to the same step, so that a condition that always leads back ends. */
export const visitsMax = 10

export type Ended = Exclude<SequenceEnrollmentStatus, 'ACTIVE' | 'PAUSED'>

/** The execution of a step that is to be. */
export interface Execution {
  readonly sequence: ReadSequence
  readonly step: ReadStep
  readonly visit: number
  readonly record: Row
  /** Canonical address; null for steps that need none. */
  readonly email: string | null
  readonly next: { readonly step: ReadStep; readonly runAt: Date } | null
  /** What came of it, where that is known before it is done. */
  readonly result: SequenceAttemptResult | null
  readonly detail: string | null
}

export type Decision =
  /** The sequence is not ACTIVE: the enrollment waits until it goes on. */
  | { readonly kind: 'PARK' }
  /** It is not due yet, or it goes on with another step. */
  | { readonly kind: 'DEFER'; readonly runAt: Date; readonly step: ReadStep; readonly pausedMs: number }
  | { readonly kind: 'END'; readonly status: Ended; readonly reason: string | null }
  | { readonly kind: 'EXECUTE'; readonly execution: Execution }

export interface DecideOptions {
  /** Executes the step before its time and outside of the send window. */
  readonly isForced?: boolean
}

const end = (status: Ended, reason: string | null): Decision => ({ kind: 'END', status, reason })

export const exitReasons = {
  sequenceDeleted: 'The sequence was deleted.',
  recordDeleted: 'The record was deleted.',
  converted: 'The lead was converted.',
  consent: 'The person does not agree to be contacted.',
  noSender: 'The sender is no longer an active user who may change records.',
  noAccess: 'The sender no longer sees the record.',
  bounced: 'Mails to the address bounce.',
  unsubscribed: 'The person does not want mails.',
  loop: `A condition led to the same step more than ${visitsMax} times.`,
} as const

/** What becomes of a due enrollment. Reads nothing but the snapshot, so the same snapshot decides the same. */
export function decide(
  ctx: RequestContext,
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  { isForced = false }: DecideOptions = {},
): Decision {
  const { now } = snapshot
  const sequence = snapshot.sequences.get(enrollment.sequenceId)
  if (!sequence) return end('UNENROLLED', exitReasons.sequenceDeleted)
  if (sequence.status !== 'ACTIVE') return { kind: 'PARK' }
  const { pausedMs, settings } = sequence
  const steps = snapshot.steps.get(sequence.id) ?? []
  const current =
    (enrollment.currentStepId && snapshot.stepsById.get(enrollment.currentStepId)) ||
    ({ position: enrollment.currentStepPosition ?? 1, isActive: false } as ReadStep)
  const step = stepInPlaceOf(steps, current)
  if (!step) return end('COMPLETED', null)

  const runAt = new Date(Date.parse(enrollment.nextRunAt!) + pausedMs - enrollment.pausedMs)
  if (runAt > now && !isForced) return { kind: 'DEFER', runAt, step, pausedMs }

  const sender = enrollment.senderId ? snapshot.senders.get(enrollment.senderId) : undefined
  if (!snapshot.existing.has(enrollment.entityId)) return end('UNENROLLED', exitReasons.recordDeleted)
  if (!sender) return end('FAILED', exitReasons.noSender)
  const record = snapshot.records.get(enrollment.id)
  if (!record) return end('FAILED', exitReasons.noAccess)
  if (enrollment.entityType === 'LEAD' && record['status'] === 'CONVERTED')
    return end('UNENROLLED', exitReasons.converted)
  if (isConsentDenied(record)) return end('UNSUBSCRIBED', exitReasons.consent)

  const email = addressOf(record)
  const refusal = email === null ? null : (snapshot.suppressed.get(email) ?? null)
  if (refusal === 'BOUNCED' && settings.stopOnBounce) return end('BOUNCED', exitReasons.bounced)
  if (refusal !== null && refusal !== 'BOUNCED' && settings.stopOnUnsubscribe)
    return end('UNSUBSCRIBED', exitReasons.unsubscribed)

  const zones = {
    recipient: (record['timezone'] as string | null | undefined) ?? enrollment.timeZone,
    sender: sender.timezone,
    organization: snapshot.organizationZone,
  }
  const window = windowOf(settings, zones, snapshot.holidays)
  if (step.type === 'EMAIL' && !isForced && email !== null && refusal === null) {
    const allowed = nextAllowed(now, window)
    if (allowed > now) return { kind: 'DEFER', runAt: allowed, step, pausedMs }
  }
  const visit = (snapshot.visits.get(visitKey(enrollment.id, step.id)) ?? 0) + 1
  if (visit > visitsMax) return end('FAILED', exitReasons.loop)

  const isMet = step.type === 'CONDITION' ? meets(ctx, enrollment, step, record, now) : null
  const following = isMet === null ? stepAfter(steps, step) : branchOf(steps, step, isMet)
  const next = following && {
    step: following,
    runAt: dueAt(following, new Date(enrollment.enrolledAt), now, window),
  }
  const known = knownResult(step, isMet, email, refusal)
  return { kind: 'EXECUTE', execution: { sequence, step, visit, record, email, next, ...known } }
}

/** The canonical address of a record; null without one, or if the sender's profile hides it. */
export function addressOf(record: Row): string | null {
  const email = typeof record['email'] === 'string' ? record['email'].toLowerCase() : null
  return email !== null && isStoredEmail(email) ? email : null
}

export const isConsentDenied = (record: Row): boolean =>
  (record['consent'] as { status?: string } | null | undefined)?.status === 'DENIED'

function meets(ctx: RequestContext, enrollment: SequenceEnrollment, step: ReadStep, record: Row, now: Date): boolean {
  const shape = shapeFor(ctx, recordType(enrollment.entityType === 'LEAD' ? 'lead' : 'contact')())
  const { logic, conditions } = step.condition ?? {}
  const matches = compileStoredConditions({ conditions: conditions ?? [], logic }, fieldsOfShape(shape, null))
  return matches(record, null, now.getTime())
}

function knownResult(
  { type }: ReadStep,
  isMet: boolean | null,
  email: string | null,
  refusal: string | null,
): Pick<Execution, 'result' | 'detail'> {
  if (type === 'CONDITION') return { result: isMet ? 'CONDITION_TRUE' : 'CONDITION_FALSE', detail: null }
  if (type === 'WAIT') return { result: 'WAITED', detail: null }
  if (type === 'EMAIL' && email === null) return { result: 'SKIPPED', detail: 'The record has no email address.' }
  if (type === 'EMAIL' && refusal !== null)
    return { result: 'SKIPPED', detail: `The address must not get mails (${refusal}).` }
  return { result: null, detail: null }
}
