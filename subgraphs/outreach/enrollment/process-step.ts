import { hash } from 'node:crypto'
import { newId } from '../../kernel/ids.ts'
import { Refusal } from '../../kernel/errors.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { refuseUnless, requireOf, requireSequence } from './enrollment.actions.ts'
import { sequence } from '../sequence/sequence.record.ts'
import { sequenceStates } from '../sequence/sequence.rules.ts'
import { sequenceEnrollment } from './enrollment.record.ts'
import { enrollmentStates } from './enrollment.states.ts'
import type { SequenceEnrollment } from './enrollment.ts'
import { commitPrepared, type Prepared } from './run/commit.ts'
import { planAll } from './run/execute.ts'
import { renderPlans } from './run/mail-contents.ts'
import { nextDayOf } from './run/sender-limit.ts'
import { readSnapshot } from './run/snapshot.ts'

type Ctx = RequestContext<'work' | 'keys'>

/**
 * Executes the current step of one enrollment at once: its delay and the send window do not matter, the limit of the sender does. With `stepId`,
 * nothing happens if the enrollment has executed that step before, so that a caller can retry.
 */
export function processStep(
  ctx: Ctx,
  sequenceId: string,
  enrollmentId: string,
  stepId: string | null,
): Promise<SequenceEnrollment> {
  requireWritableRole(ctx)
  const messageId = newId()
  return transactionWithExternalCalls(ctx, async (inner) => {
    await requireSequence(inner, sequenceId)
    // A change of a sequence locks it before its enrollments, too.
    await inner.db.query('select 1 from outreach.sequence where organization_id = $1 and id = $2 for share', [
      inner.caller.organizationId,
      sequenceId,
    ])
    const enrollment = await requireRecord(inner, sequenceEnrollment, enrollmentId, { isLocked: true })
    requireOf(sequenceId, enrollment)
    if (stepId !== null && (await isExecuted(inner, enrollment, stepId)))
      return recordsOf(sequenceEnrollment).require(inner, enrollment.id)
    await refuseUnless(inner, enrollment, 'ACTIVE')
    const wantedStep = stepId?.toLowerCase() ?? null
    if (wantedStep !== null && wantedStep !== enrollment.currentStepId)
      throw await refusalInState(
        inner,
        enrollmentStates,
        enrollment,
        'The step is not the current step of the enrollment.',
        { currentStepId: enrollment.currentStepId },
      )
    const system = asSystem(inner, inner.caller.organizationId)
    const snapshot = await readSnapshot(system, [enrollment])
    const [planned] = planAll(system, snapshot, [enrollment], { isForced: true }, () => messageId)
    const { decision, plan } = planned!
    if (decision.kind === 'PARK') {
      const parking = await requireRecord(inner, sequence, sequenceId)
      throw await refusalInState(inner, sequenceStates, parking, 'The sequence is not ACTIVE.')
    }
    let prepared: Prepared
    if (plan && !('problem' in plan)) {
      const key = `render ${hash('sha256', JSON.stringify(plan))}`
      const content = await externalCall(system, key, async () => async () => (await renderPlans(ctx, [plan]))[0]!)
      prepared = { enrollment, decision, plan, content }
    } else prepared = { enrollment, decision, plan: null, content: plan }
    const late = await commitPrepared(system, snapshot, [prepared])
    if (late.size > 0) {
      const until = nextDayOf(snapshot.now, snapshot.senders.get(enrollment.senderId!)!.timezone)
      const retryAfter = Math.ceil((until.getTime() - snapshot.now.getTime()) / 1000)
      throw new Refusal('MAIL_RATE_LIMITED', 'The sender has sent as many mails of sequences today as it may.', {
        retryAfter,
      })
    }
    inner.answered?.record(sequenceEnrollment, enrollment.id)
    return recordsOf(sequenceEnrollment).require(inner, enrollment.id)
  })
}

async function isExecuted(
  { db, caller }: RequestContext,
  { id, currentStepId }: SequenceEnrollment,
  stepId: string,
): Promise<boolean> {
  if (stepId.toLowerCase() === currentStepId) return false
  const [row] = await db.query(
    `select 1 from outreach.sequence_attempt where organization_id = $1 and enrollment_id = $2 and step_id::text = $3 limit 1`,
    [caller.organizationId, id, stepId.toLowerCase()],
  )
  return row !== undefined
}
