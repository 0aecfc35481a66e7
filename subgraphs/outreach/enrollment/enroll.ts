import { organizationSettings, requireProven, sendersOf } from '../../identity/public.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { redact } from '../../kernel/record/field-security.ts'
import { insertRecords } from '../../kernel/record/insert-records.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation, refusalInState } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { asSender } from '../email/as-sender.ts'
import { sequence } from '../sequence/sequence.record.ts'
import { sequenceStates } from '../sequence/sequence.rules.ts'
import type { Sequence } from '../sequence/sequence.ts'
import { assess, type Assessed } from './eligibility.ts'
import type { SequenceBulkEnrollInput, SequenceBulkEnrollResult, SequenceEnrollInput } from './enroll.inputs.ts'
import type { SequenceRefusal } from './enrollment.enumerations.ts'
import { sequenceEnrollment } from './enrollment.record.ts'
import type { SequenceEnrollment } from './enrollment.ts'
import { readMailboxes } from './run/read-mailboxes.ts'
import { readSteps, type ReadSettings } from './sequence-reading.ts'
import { dueAt, firstStep } from './next-step.ts'
import { windowOf } from './window-of.ts'
import { lockOf } from '../../kernel/database/locks.ts'

export const bulkMax = 500

interface Enrolled extends Assessed {
  /** The enrollment that was created. */
  readonly id: string | null
}

/** Enrolls records in the transaction of `ctx`. Each is enrolled or refused independently of the others. */
async function enrollAll(
  ctx: RequestContext,
  sequenceId: string,
  entityIds: readonly string[],
  { entityType, senderId, allowOtherSequences }: Omit<SequenceEnrollInput, 'entityId'>,
): Promise<Enrolled[]> {
  const wantedSender = senderId?.toLowerCase() ?? ctx.caller.userId
  if (wantedSender !== ctx.caller.userId && !['OWNER', 'ADMIN', 'MANAGER'].includes(ctx.caller.role))
    throw new Refusal(
      'PERMISSION_DENIED',
      'Only owners, admins and managers may enroll with another user as the sender.',
    )
  // Locked, so that nobody is enrolled beside a pause, an archiving or a deletion that does not see the enrollment.
  const found = await requireRecord(ctx, sequence, sequenceId, { isLocked: true })
  ctx.answered?.record(sequence, found.id)
  await requireRunning(ctx, found)
  if (!found.entityTypes.includes(entityType)) {
    const message = `entityType must be one of the entityTypes of the sequence: ${found.entityTypes.join(', ')}.`
    throw invalid({ path: 'entityType', code: 'NOT_ALLOWED', message })
  }
  const sender = isId(wantedSender) ? (await sendersOf(ctx, [wantedSender])).get(wantedSender) : undefined
  if (!sender) throw unknownSender()
  // Enrollments of an organization wait for each other, so that no record gets into two sequences at the same time.
  await ctx.db.query(`select pg_advisory_xact_lock(${lockOf('sequenceEnrollments')})`, [ctx.caller.organizationId])
  const steps = await readSteps(ctx, [found.id])
  const first = firstStep(steps)
  const wanted = {
    sequenceId: found.id,
    entityType,
    entityIds: [...new Set(entityIds.map((id) => id.toLowerCase()))],
    sendsMail: steps.some(({ type, isActive }) => type === 'EMAIL' && isActive),
    allowOtherSequences: allowOtherSequences ?? false,
  }
  // As when the user sends a mail: those that leave through the platform's own server need a verified address.
  if (wanted.sendsMail && !(await readMailboxes(ctx, [sender.id])).has(sender.id)) await requireProven(ctx, sender.id)
  const assessed = await assess(ctx, asSender(ctx, sender), wanted)
  const { timezone, businessHours } = await organizationSettings(ctx)
  const holidays = new Set(businessHours?.holidays ?? [])
  const now = ctx.clock.now()
  const enrolled = assessed.map((one): Enrolled => ({ ...one, id: one.candidate && newId() }))
  await insertRecords(
    ctx.db,
    sequenceEnrollment,
    enrolled.flatMap(({ id, candidate }) => {
      if (!id || !candidate) return []
      const zones = { recipient: candidate.timeZone, sender: sender.timezone, organization: timezone ?? null }
      const window = windowOf(found.settings as unknown as ReadSettings, zones, holidays)
      const runAt = first ? dueAt(first, now, now, window) : now
      const values: Partial<SequenceEnrollment> & { id: string; organizationId: string; createdAt: string } = {
        id,
        organizationId: ctx.caller.organizationId,
        createdAt: now.toISOString(),
        createdById: ctx.caller.userId,
        updatedById: ctx.caller.userId,
        ownerId: sender.id,
        sequenceId: found.id,
        entityType,
        ...candidate,
        status: 'ACTIVE',
        currentStepId: first?.id ?? null,
        currentStepPosition: first?.position ?? 1,
        nextRunAt: runAt.toISOString(),
        pausedMs: found.pausedMs,
        enrolledById: ctx.caller.userId,
        senderId: sender.id,
        enrolledAt: now.toISOString(),
      }
      return [{ values, actorId: ctx.caller.userId, eventId: newId() }]
    }),
  )
  for (const { id } of enrolled) if (id) ctx.answered?.record(sequenceEnrollment, id)
  return enrolled
}

const unknownSender = (): Refusal =>
  invalid({
    path: 'senderId',
    code: 'UNKNOWN_REFERENCE',
    message: 'senderId must be the id of an active user who may change records.',
  })

async function requireRunning(ctx: RequestContext, found: Sequence): Promise<void> {
  const { status } = found
  if (status === 'ACTIVE') return
  const message = `The sequence has the status ${status}; only an ACTIVE one takes enrollments.`
  throw await refusalInState(ctx, sequenceStates, found, message)
}

const messages: Readonly<Record<Exclude<SequenceRefusal, 'NOT_FOUND'>, string>> = {
  ALREADY_ACTIVE: 'The record has a running enrollment in this sequence.',
  IN_OTHER_SEQUENCE:
    'The record has a running enrollment in another sequence; set allowOtherSequences to enroll it too.',
  NO_EMAIL: 'The record has no email address.',
  OPTED_OUT: 'The person does not want to be contacted.',
  BOUNCED: 'Mails to the address of the record bounce.',
  NO_ACCESS: 'The sender does not see the record, your profile hides its address, or it is a converted lead.',
}

/** Enrolls one record. */
export function enroll(
  ctx: RequestContext,
  sequenceId: string,
  input: SequenceEnrollInput,
): Promise<SequenceEnrollment> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const [one] = await enrollAll(inner, sequenceId, [input.entityId], input)
    const { refusal, id, enrollmentId } = one!
    if (refusal === 'NOT_FOUND') throw notFound(input.entityType === 'LEAD' ? 'The lead' : 'The contact')
    if (refusal === 'NO_ACCESS') throw new Refusal('PERMISSION_DENIED', messages[refusal], { reason: refusal })
    if (refusal !== null)
      throw refusalInSituation(messages[refusal], { reason: refusal, ...(enrollmentId && { enrollmentId }) })
    // It belongs to the sender, whose records the caller may not see: what the caller has just created is answered nevertheless.
    const created = { ...inner, caller: { ...inner.caller, ownerIds: null } }
    return redact(inner.caller, sequenceEnrollment, await requireRecord(created, sequenceEnrollment, id!))
  })
}

/** Enrolls up to 500 records, with a result for each in the order of the input. */
export function enrollMany(
  ctx: RequestContext,
  sequenceId: string,
  { entityIds, ...input }: SequenceBulkEnrollInput,
): Promise<SequenceBulkEnrollResult> {
  requireWritableRole(ctx)
  if (entityIds.length < 1 || entityIds.length > bulkMax) {
    const message = `entityIds must have between 1 and ${bulkMax} ids.`
    throw invalid({ path: 'entityIds', code: 'OUT_OF_RANGE', message })
  }
  return inTransaction(ctx, async (inner) => {
    const enrolled = await enrollAll(inner, sequenceId, entityIds, input)
    const byId = new Map(enrolled.map((one) => [one.entityId, one]))
    const seen = new Set<string>()
    const results = entityIds.map((entityId) => {
      const one = byId.get(entityId.toLowerCase())!
      const isRepeated = seen.has(one.entityId)
      seen.add(one.entityId)
      const reason = one.refusal ?? (isRepeated ? 'ALREADY_ACTIVE' : null)
      const status = reason === null ? 'ENROLLED' : isSkipped(reason) ? 'SKIPPED' : 'FAILED'
      return { entityId, status, reason, enrollmentId: one.id ?? one.enrollmentId } as const
    })
    const count = (status: string) => results.filter((result) => result.status === status).length
    const [enrolledCount, skipped, failed] = [count('ENROLLED'), count('SKIPPED'), count('FAILED')]
    return { requested: entityIds.length, enrolled: enrolledCount, skipped, failed, results: [...results] }
  })
}

const isSkipped = (reason: SequenceRefusal): boolean => reason === 'ALREADY_ACTIVE' || reason === 'IN_OTHER_SEQUENCE'
