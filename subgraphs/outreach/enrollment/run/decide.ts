import type { Conditions } from '../../../kernel/condition/conditions.ts'
import type { Row } from '../../../kernel/database/sql.ts'

import type { RequestContext } from '../../../kernel/request.ts'
import { isStoredEmail } from '../../../kernel/values/email-address.ts'
import type { SequenceAttemptResult, SequenceEnrollmentStatus, SequenceEntityType } from '../enrollment.enumerations.ts'
import { compileCondition, conditionValues } from '../../sequence/step-conditions.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { nextAllowed } from '../send-window.ts'
import type { ReadSequence, ReadStep } from '../sequence-reading.ts'
import { branchOf, dueAt, stepAfter, stepInPlaceOf, type Branch, type Way } from '../next-step.ts'
import { windowOf } from '../window-of.ts'
import type { Snapshot } from './snapshot.ts'

/** Rounds of an enrollment, so that a condition that always leads back ends. */
export const roundsMax = 50

/** How long after the conversion of a lead its event is waited for. */
const conversionMs = 3_600_000

export type Ended = Exclude<SequenceEnrollmentStatus, 'ACTIVE' | 'PAUSED'>

/** The execution of a step that is to be. */
export interface Execution {
  readonly sequence: ReadSequence
  readonly step: ReadStep
  /** The round. */
  readonly visit: number
  readonly record: Row
  /** Canonical address; null for steps that need none. */
  readonly email: string | null
  readonly next: { readonly step: ReadStep; readonly runAt: Date; readonly visit: number } | null
  /** What came of it, where that is known before it is done. */
  readonly result: SequenceAttemptResult | null
  readonly detail: string | null
  /** It is executed outside of the send window, too. */
  readonly isForced: boolean
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
  merged: 'The record was merged into another one that is in the sequence.',
  consent: 'The person does not agree to be contacted.',
  meeting: 'A meeting was logged.',
  company: 'Somebody else of the account replied.',
  noSender: 'The sender is no longer an active user who may change records.',
  noAccess: 'The sender no longer sees the record.',
  bounced: 'Mails to the address bounce.',
  unsubscribed: 'The person does not want mails.',
  loop: `Conditions led back more than ${roundsMax} times.`,
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
    ({ position: enrollment.currentStepPosition ?? 1, isActive: false, isDeleted: false } as ReadStep)
  const way = { steps, executed: snapshot.executed.get(enrollment.id) ?? new Set<string>() }
  const step = stepInPlaceOf(way, current, snapshot.stepsById)
  if (!step) return end('COMPLETED', null)

  const runAt = new Date(Date.parse(enrollment.nextRunAt!) + pausedMs - enrollment.pausedMs)
  if (runAt > now && !isForced) return { kind: 'DEFER', runAt, step, pausedMs }

  const sender = enrollment.senderId ? snapshot.senders.get(enrollment.senderId) : undefined
  if (!snapshot.existing.has(enrollment.entityId)) return end('UNENROLLED', exitReasons.recordDeleted)
  if (!sender) return end('FAILED', exitReasons.noSender)
  const record = snapshot.records.get(enrollment.id)
  if (!record) return end('FAILED', exitReasons.noAccess)
  if (enrollment.entityType === 'LEAD' && record['status'] === 'CONVERTED')
    return afterConversion(record, step, pausedMs, now)
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
  const { visit } = enrollment
  const isMet = step.type === 'CONDITION' ? meets(ctx, enrollment, step, record, now) : null
  const after = isMet === null ? forward(way, step) : branchOf(way, step, isMet)
  if (after?.isNextRound && visit >= roundsMax) return end('FAILED', exitReasons.loop)
  const next = after && {
    step: after.step,
    runAt: dueAt(after.step, new Date(enrollment.enrolledAt), now, window),
    visit: visit + (after.isNextRound ? 1 : 0),
  }
  const known = knownResult(step, isMet, email, refusal)
  return { kind: 'EXECUTE', execution: { sequence, step, visit, record, email, next, isForced, ...known } }
}

/** The event of the conversion moves the enrollment to the contact; until then it waits. */
function afterConversion(record: Row, step: ReadStep, pausedMs: number, now: Date): Decision {
  const convertedAt = typeof record['convertedAt'] === 'string' ? Date.parse(record['convertedAt']) : 0
  if (now.getTime() - convertedAt > conversionMs) return end('UNENROLLED', exitReasons.converted)
  return { kind: 'DEFER', runAt: new Date(now.getTime() + 60_000), step, pausedMs }
}

function forward(way: Way, step: ReadStep): Branch | null {
  const following = stepAfter({ steps: way.steps, executed: new Set([...way.executed, step.id]) }, step)
  return following && { step: following, isNextRound: false }
}

/** The canonical address of a record; null without one, or if the sender's profile hides it. */
export function addressOf(record: Row): string | null {
  const email = typeof record['email'] === 'string' ? record['email'].toLowerCase() : null
  return email !== null && isStoredEmail(email) ? email : null
}

export const isConsentDenied = (record: Row): boolean =>
  (record['consent'] as { status?: string } | null | undefined)?.status === 'DENIED'

const compiled = new WeakMap<ReadStep, Map<string, Conditions>>()

/** A step of a snapshot is compiled once, for leads and for contacts. */
function conditionsOf(ctx: RequestContext, step: ReadStep, entityType: SequenceEntityType): Conditions {
  let byType = compiled.get(step)
  if (!byType) compiled.set(step, (byType = new Map()))
  let conditions = byType.get(entityType)
  if (!conditions) byType.set(entityType, (conditions = compileCondition(ctx, step.condition!, entityType)))
  return conditions
}

const meets = (ctx: RequestContext, enrollment: SequenceEnrollment, step: ReadStep, record: Row, now: Date): boolean =>
  conditionsOf(ctx, step, enrollment.entityType)(conditionValues(record, enrollment), null, now.getTime())

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
