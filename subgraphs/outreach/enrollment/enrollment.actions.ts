import { invalid, notFound } from '../../kernel/errors.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { sequence } from '../sequence/sequence.record.ts'
import { wakeMails } from './before-sending.ts'
import type { SequenceEnrollmentStatus } from './enrollment.enumerations.ts'
import { sequenceEnrollment } from './enrollment.record.ts'
import { enrollmentStates } from './enrollment.states.ts'
import type { SequenceEnrollment } from './enrollment.ts'
import { endOf } from './run/end-enrollment.ts'
import { readSequences, type ReadSequence } from './sequence-reading.ts'

export const reasonMax = 500

export async function refuseUnless(
  ctx: RequestContext,
  previous: SequenceEnrollment,
  ...wanted: readonly SequenceEnrollmentStatus[]
): Promise<void> {
  const { status } = previous
  if (wanted.includes(status)) return
  const message = `The enrollment has the status ${status}; it must be ${wanted.join(' or ')}.`
  throw await refusalInState(ctx, enrollmentStates, previous, message)
}

/** Refuses an enrollment of another sequence, as if it did not exist. */
export function requireOf(sequenceId: string, enrollment: SequenceEnrollment): void {
  if (enrollment.sequenceId !== sequenceId.toLowerCase()) throw notFound('The enrollment')
}

export async function requireSequence(ctx: RequestContext, id: string): Promise<void> {
  const found = await recordsOf(sequence).require(ctx, id)
  ctx.answered?.record(sequence, found.id)
}

function checkReason(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null
  const text = reason.trim()
  if ([...text].length > reasonMax)
    throw invalid({ path: 'reason', code: 'TOO_LONG', message: `reason must have at most ${reasonMax} characters.` })
  return text === '' ? null : text
}

/** The moment at which the clocks of a sequence stand: now, or when it was paused. */
const clockOf = ({ status, pausedAt }: ReadSequence, now: Date): number =>
  status === 'ACTIVE' || pausedAt === null ? now.getTime() : Date.parse(pausedAt)

async function sequenceOf(ctx: RequestContext, { sequenceId }: SequenceEnrollment): Promise<ReadSequence> {
  const [found] = await readSequences(ctx, [sequenceId])
  if (!found) throw notFound('The sequence')
  return found
}

/** Stops an enrollment; the delay that is left is kept. */
export async function pauseEnrollment(
  ctx: RequestContext,
  sequenceId: string,
  id: string,
  reason: string | null | undefined,
): Promise<SequenceEnrollment> {
  const pauseReason = checkReason(reason)
  await requireSequence(ctx, sequenceId)
  return change(ctx, sequenceEnrollment, id, async (previous, inner) => {
    requireOf(sequenceId, previous)
    await refuseUnless(inner, previous, 'ACTIVE')
    const running = await sequenceOf(inner, previous)
    const now = inner.clock.now()
    const due = Date.parse(previous.nextRunAt!) + running.pausedMs - previous.pausedMs
    return {
      operation: 'UPDATE',
      values: {},
      implied: {
        status: 'PAUSED' as const,
        pausedAt: now.toISOString(),
        pauseReason,
        remainingMs: Math.max(0, due - clockOf(running, now)),
        nextRunAt: null,
        isParked: false,
      },
    }
  })
}

/** Lets a paused enrollment go on with the delay that was left. */
export async function resumeEnrollment(
  ctx: RequestContext,
  sequenceId: string,
  id: string,
): Promise<SequenceEnrollment> {
  await requireSequence(ctx, sequenceId)
  return change(ctx, sequenceEnrollment, id, async (previous, inner) => {
    requireOf(sequenceId, previous)
    await refuseUnless(inner, previous, 'PAUSED')
    const running = await sequenceOf(inner, previous)
    await wakeMails(inner, [previous.id])
    const from = clockOf(running, inner.clock.now())
    return {
      operation: 'UPDATE',
      values: {},
      implied: {
        status: 'ACTIVE' as const,
        pausedAt: null,
        pauseReason: null,
        remainingMs: null,
        nextRunAt: new Date(from + (previous.remainingMs ?? 0)).toISOString(),
        pausedMs: running.pausedMs,
        isParked: false,
      },
    }
  })
}

/** Ends an enrollment. */
export async function unenroll(
  ctx: RequestContext,
  sequenceId: string,
  id: string,
  reason: string | null | undefined,
): Promise<SequenceEnrollment> {
  const exitReason = checkReason(reason)
  await requireSequence(ctx, sequenceId)
  return change(ctx, sequenceEnrollment, id, async (previous, inner) => {
    requireOf(sequenceId, previous)
    await refuseUnless(inner, previous, 'ACTIVE', 'PAUSED')
    const { implied, ...events } = endOf('UNENROLLED', exitReason, inner.clock.now())
    return { operation: 'UPDATE', values: {}, implied, ...events }
  })
}
