import { createTask } from '../../../crm/public.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { changeAllWithEvents, type RuledChange } from '../../../kernel/record/change-all.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { queueMails, type GeneratedMail } from '../../email/queue-mails.ts'
import type { SequenceAttemptResult } from '../enrollment.enumerations.ts'
import { sequenceEnrollment } from '../enrollment.record.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { nextAllowed } from '../send-window.ts'
import { windowOf } from '../window-of.ts'
import type { Decision, Execution } from './decide.ts'
import { endOf } from './end-enrollment.ts'
import type { MailContent, MailPlan } from './mail-contents.ts'
import { mailOf } from './mail-of-step.ts'
import { countWithin, dayOf, nextDayOf, type WantedMail } from './sender-limit.ts'
import type { Snapshot } from './snapshot.ts'
import { taskOf } from './task-of-step.ts'
import { callOf } from './webhook-body.ts'
import { queueCalls, type QueuedCall } from './webhook-call.queue.ts'
import { insertAttempts, park, type Attempt } from './write-rows.ts'

/** A decision with what was prepared for it while no transaction was open. */
export interface Prepared {
  readonly enrollment: SequenceEnrollment
  readonly decision: Decision
  readonly plan: MailPlan | null
  /** The mail, or the text of a task. */
  readonly content: MailContent | null
}

interface Outcome {
  /** Null: nothing but that it waits for its sequence. */
  readonly change: RuledChange<SequenceEnrollment> | null
  readonly attempt: Attempt | null
  readonly mail: GeneratedMail | null
  readonly call?: QueuedCall | null
}

/**
 * Writes what becomes of the enrollments, in the transaction of `ctx`, which has locked them: the mails with their rows of the queue, the
 * tasks, the attempts and the next steps exist together or not at all. Returns the ids of those that were put off by the limit of their sender.
 */
export async function commitPrepared(
  ctx: RequestContext<'keys'>,
  snapshot: Snapshot,
  prepared: readonly Prepared[],
): Promise<ReadonlySet<string>> {
  const wanted = prepared.flatMap((one) => wantedMail(snapshot, one) ?? [])
  const granted = await countWithin(ctx, wanted)
  const late = new Set(wanted.filter(({ enrollmentId }) => !granted.has(enrollmentId)).map((one) => one.enrollmentId))
  const outcomes = new Map<string, Outcome>()
  for (const one of prepared) {
    const { id } = one.enrollment
    outcomes.set(id, late.has(id) ? putOff(snapshot, one) : await outcomeOf(ctx, snapshot, one))
  }
  const all = [...outcomes.values()]
  await queueMails(
    ctx,
    all.flatMap(({ mail }) => mail ?? []),
  )
  await insertAttempts(
    ctx,
    snapshot,
    all.flatMap(({ attempt }) => attempt ?? []),
  )
  await queueCalls(
    ctx,
    all.flatMap(({ call }) => call ?? []),
  )
  await park(
    ctx,
    [...outcomes].flatMap(([id, { change }]) => (change ? [] : [id])),
  )
  await changeAllWithEvents(
    ctx,
    sequenceEnrollment,
    [...outcomes.keys()],
    (previous) => outcomes.get(previous.id)?.change ?? null,
  )
  return late
}

/** The mail of a decision that sends one. */
export function isMail({ decision, content }: Prepared): boolean {
  if (decision.kind !== 'EXECUTE' || decision.execution.step.type !== 'EMAIL') return false
  return decision.execution.result === null && content !== null && 'content' in content
}

export function wantedMail(snapshot: Snapshot, one: Prepared): WantedMail | null {
  return isMail(one) ? wantedOf(snapshot, one.enrollment, (one.decision as { execution: Execution }).execution) : null
}

export function wantedOf(
  snapshot: Snapshot,
  { id, senderId }: SequenceEnrollment,
  { sequence }: Execution,
): WantedMail {
  const zone = snapshot.senders.get(senderId!)!.timezone
  const limit = sequence.settings.dailyLimitPerSender
  return { enrollmentId: id, senderId: senderId!, day: dayOf(snapshot.now, zone), limit }
}

/** When a mail beyond the limit of the day is tried again: in the first window of the sender's next day. */
export function putOffUntil(
  snapshot: Snapshot,
  { senderId, timeZone }: SequenceEnrollment,
  execution: Execution,
): Date {
  const sender = snapshot.senders.get(senderId!)!.timezone
  const recipient = (execution.record['timezone'] as string | null | undefined) ?? timeZone
  const zones = { recipient, sender, organization: snapshot.organizationZone }
  const window = windowOf(execution.sequence.settings, zones, snapshot.holidays)
  return nextAllowed(nextDayOf(snapshot.now, sender), window)
}

function putOff(snapshot: Snapshot, { enrollment, decision }: Prepared): Outcome {
  const { execution } = decision as Extract<Decision, { kind: 'EXECUTE' }>
  const runAt = putOffUntil(snapshot, enrollment, execution).toISOString()
  const implied = { ...schedule(execution.step, runAt, execution.sequence.pausedMs, enrollment.visit) }
  return { change: { implied }, attempt: null, mail: null }
}

type Schedule = Pick<
  SequenceEnrollment,
  'currentStepId' | 'currentStepPosition' | 'nextRunAt' | 'pausedMs' | 'visit' | 'failures'
>

const schedule = (
  step: { readonly id: string; readonly position: number },
  nextRunAt: string,
  pausedMs: number,
  visit: number,
): Schedule => ({
  currentStepId: step.id,
  currentStepPosition: step.position,
  nextRunAt,
  pausedMs,
  visit,
  failures: 0,
})

async function outcomeOf(ctx: RequestContext, snapshot: Snapshot, prepared: Prepared): Promise<Outcome> {
  const { enrollment, decision } = prepared
  switch (decision.kind) {
    case 'PARK':
      return { change: null, attempt: null, mail: null }
    case 'DEFER': {
      const { step, runAt, pausedMs } = decision
      const implied = schedule(step, runAt.toISOString(), pausedMs, enrollment.visit)
      return { change: { implied }, attempt: null, mail: null }
    }
    case 'END':
      return { change: endOf(decision.status, decision.reason, snapshot.now), attempt: null, mail: null }
    case 'EXECUTE':
      return execute(ctx, snapshot, prepared, decision.execution)
  }
}

interface Done {
  readonly result: SequenceAttemptResult
  readonly detail?: string | null
  readonly taskId?: string | null
  readonly mail?: GeneratedMail | null
  readonly variantId?: string | null
  readonly events?: readonly string[]
}

async function execute(
  ctx: RequestContext,
  snapshot: Snapshot,
  prepared: Prepared,
  execution: Execution,
): Promise<Outcome> {
  const { enrollment } = prepared
  const { step, sequence, next, visit } = execution
  const done = await doneBy(ctx, snapshot, prepared, execution)
  const mail = done.mail ?? null
  const attempt: Attempt = {
    id: newId(),
    enrollmentId: enrollment.id,
    sequenceId: sequence.id,
    stepId: step.id,
    visit,
    stepType: step.type,
    stepPosition: step.position,
    variantId: done.variantId ?? null,
    senderId: enrollment.senderId,
    result: done.result,
    detail: done.detail?.slice(0, 500) ?? null,
    messageId: mail?.messageId ?? null,
    taskId: done.taskId ?? null,
  }
  const call = done.result === 'PENDING' ? callOf(enrollment, execution, attempt.id, snapshot.now) : null
  const mailed = mail
    ? { threadId: mail.threadId, contactedAt: enrollment.contactedAt ?? snapshot.now.toISOString() }
    : {}
  if (done.result === 'FAILED') return { change: endOf('FAILED', attempt.detail, snapshot.now), attempt, mail }
  if (!next) {
    const { implied, ...events } = endOf('COMPLETED', null, snapshot.now)
    const further = [...(done.events ?? []), ...(events.events ?? [])]
    return { change: { implied: { ...implied, ...mailed }, ...events, events: further }, attempt, mail, call }
  }
  const implied = { ...schedule(next.step, next.runAt.toISOString(), sequence.pausedMs, next.visit), ...mailed }
  return { change: { implied, ...(done.events && { events: done.events }) }, attempt, mail, call }
}

async function doneBy(
  ctx: RequestContext,
  snapshot: Snapshot,
  { enrollment, plan, content }: Prepared,
  execution: Execution,
): Promise<Done> {
  const { step, result, detail } = execution
  if (result !== null) return { result, detail }
  if (content && 'problem' in content)
    return { result: 'FAILED', detail: content.problem, variantId: plan?.variantId ?? null }
  switch (step.type) {
    case 'EMAIL':
      return {
        result: 'SENT',
        variantId: plan!.variantId,
        mail: mailOf(snapshot, enrollment, execution, plan!, content!),
      }
    case 'WEBHOOK':
      return { result: 'PENDING', events: ['sequence.webhook'] }
    default:
      return createStepTask(ctx, snapshot, enrollment, step, content)
  }
}

/** A rule of tasks that refuses the task ends the enrollment, and no other one. */
async function createStepTask(
  ctx: RequestContext,
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  step: Execution['step'],
  content: MailContent | null,
): Promise<Done> {
  const text = content && 'content' in content ? content.content.bodyText : null
  try {
    const task = await inTransaction(ctx, (inner) => createTask(inner, taskOf(step, enrollment, text, snapshot.now)))
    return { result: 'TASK_CREATED', taskId: task.id }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { result: 'FAILED', detail: `The task was refused: ${error.message}` }
  }
}
