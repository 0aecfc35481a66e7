import { invalid, Refusal } from '../../kernel/errors.ts'
import { isNothingGiven } from '../../kernel/record/changed-names.ts'
import { newId } from '../../kernel/ids.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { change, recordsOf, type RecordActions } from '../../kernel/record/records-of.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { requireNewStatus } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { runningEnrollments } from './sequence-figures.ts'
import { queueWork } from './sequence-work.ts'
import { sequence, sequenceStep } from './sequence.record.ts'
import { sequenceStates } from './sequence.rules.ts'
import type { Sequence } from './sequence.ts'
import { SequenceStep } from './sequence-step.ts'
import { fitsEntityType } from './step-conditions.ts'
import type { SequenceCondition, SequenceVariant } from './step-parts.ts'
import { checkSteps, requireRunnable, stepsOf } from './stored-steps.ts'

type Version = number | null

/** The clocks of the enrollments stand still from now on. */
const stopped = ({ status, pausedAt }: Sequence, now: string): Partial<Sequence> =>
  status === 'ACTIVE' ? { pausedAt: now } : { pausedAt }

function resumed({ pausedAt, pausedMs }: Sequence, now: string): Partial<Sequence> {
  const pauseMs = pausedAt === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(pausedAt))
  return { status: 'ACTIVE', activatedAt: now, pausedAt: null, pausedMs: pausedMs + pauseMs }
}

/** Locks a sequence that the caller may change, decides and saves, in one transaction: enrollments wait for it, and it for them. */
function changeLocked(
  ctx: RequestContext,
  id: string,
  work: (inner: RequestContext, previous: Sequence) => Promise<Sequence>,
): Promise<Sequence> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => work(inner, await requireRecord(inner, sequence, id, { isLocked: true })))
}

/** DRAFT and PAUSED become ACTIVE, ACTIVE becomes PAUSED. */
export const toggleSequence = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Sequence> =>
  changeLocked(ctx, id, async (inner, previous) => {
    const to = previous.status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE'
    await requireNewStatus(inner, sequenceStates, previous, to)
    if (to === 'ACTIVE') await requireRunnable(inner, previous, await stepsOf(inner, previous.id))
    const now = inner.clock.now().toISOString()
    const implied: Partial<Sequence> =
      to === 'ACTIVE' ? resumed(previous, now) : { ...stopped(previous, now), status: to }
    const events = [to === 'ACTIVE' ? 'sequence.activated' : 'sequence.paused']
    const draft = { operation: 'UPDATE', previous, values: {}, implied, expectedVersion } as const
    const changed = await save(inner, sequence, { ...draft, events, isEventReplaced: true })
    if (to === 'ACTIVE' && previous.pausedAt !== null) await queueWork(inner, previous.id, 'RESUME')
    return changed
  })

/** Enrollments that run would be lost without a word. */
async function requireNoneRunning(ctx: RequestContext, id: string, verb: string, force: boolean): Promise<void> {
  if (force) return
  const activeEnrollments = await runningEnrollments(ctx, id)
  if (activeEnrollments === 0) return
  const message = `${activeEnrollments} enrollments of the sequence are running. Send force=true to ${verb} it and end them.`
  throw new Refusal('HAS_DEPENDENTS', message, { activeEnrollments })
}

export const archiveSequence = (
  ctx: RequestContext,
  id: string,
  force: boolean,
  expectedVersion: Version,
): Promise<Sequence> =>
  changeLocked(ctx, id, async (inner, previous) => {
    await requireNewStatus(inner, sequenceStates, previous, 'ARCHIVED')
    await requireNoneRunning(inner, previous.id, 'archive', force)
    const implied = { ...stopped(previous, inner.clock.now().toISOString()), status: 'ARCHIVED' } as const
    const events = ['sequence.archived']
    const draft = { operation: 'UPDATE', previous, values: {}, implied, expectedVersion } as const
    const changed = await save(inner, sequence, { ...draft, events, isEventReplaced: true })
    await queueWork(inner, previous.id, 'END')
    return changed
  })

/** An ACTIVE sequence is PAUSED by its deletion, so that a restored one does not start by itself. */
export async function deleteSequence(
  ctx: RequestContext,
  id: string,
  force: boolean,
  expectedVersion: Version,
): Promise<string> {
  const deleted = await changeLocked(ctx, id, async (inner, previous) => {
    await requireNoneRunning(inner, previous.id, 'delete', force)
    const isActive = previous.status === 'ACTIVE'
    const paused = { ...stopped(previous, inner.clock.now().toISOString()), status: 'PAUSED' } as const
    const draft = { operation: 'DELETE', previous, values: {}, expectedVersion } as const
    const changed = await save(inner, sequence, { ...draft, implied: isActive ? paused : {} })
    await queueWork(inner, previous.id, 'END')
    return changed
  })
  return deleted.id
}

/** Conditions of the steps must fit what can be enrolled. */
async function refuseEntityTypes(
  ctx: RequestContext,
  previous: Sequence,
  entityTypes: Sequence['entityTypes'],
): Promise<void> {
  const added = entityTypes.filter((type) => !previous.entityTypes.includes(type))
  if (added.length === 0) return
  for (const { position, condition } of await stepsOf(ctx, previous.id)) {
    const unfit = condition && added.find((type) => !fitsEntityType(ctx, condition, type))
    if (!unfit) continue
    const message = `entityTypes must not contain ${unfit}, because the condition of the step ${position} does not fit it.`
    throw invalid({ path: 'entityTypes', code: 'NOT_ALLOWED', message })
  }
}

export const sequenceActions: RecordActions<Sequence> = {
  update: (ctx, id, values: Partial<Sequence>, expectedVersion) =>
    change(
      ctx,
      sequence,
      id,
      async (previous, inner) => {
        if (isNothingGiven(values)) return { operation: 'UPDATE', values }
        await sequence.decide!(inner, values, previous)
        if (values.entityTypes) await refuseEntityTypes(inner, previous, values.entityTypes)
        return { operation: 'UPDATE', values }
      },
      { expectedVersion },
    ),
}

const copyName = (name: string): string => [...`Copy of ${name}`].slice(0, 255).join('')

type Ids = ReadonlyMap<string, string>

const copiedCondition = (condition: SequenceCondition | null, ids: Ids): SequenceCondition | null =>
  condition && {
    ...condition,
    onTrueStepId: ids.get(condition.onTrueStepId ?? '') ?? null,
    onFalseStepId: ids.get(condition.onFalseStepId ?? '') ?? null,
  }

/** What the platform sets in the copy of a step, and whom it belongs to. */
const notCopied: ReadonlySet<string> = new Set(['sequenceId', 'position', 'ownerId', 'externalId'])

function copiedStep(step: SequenceStep, ids: Ids): Partial<SequenceStep> {
  const columns = writableColumns(SequenceStep, 'CREATE').filter(({ name }) => !notCopied.has(name))
  const content = Object.fromEntries(columns.map(({ name }) => [name, step[name as keyof SequenceStep]]))
  return {
    ...content,
    id: ids.get(step.id)!,
    variants: step.variants.map((variant): SequenceVariant => ({ ...variant, id: newId() })),
    condition: copiedCondition(step.condition, ids),
  }
}

/** Copies a sequence that the caller sees, with its steps under ids of their own. The copy is a DRAFT of the caller. */
export function duplicateSequence(ctx: RequestContext, id: string): Promise<Sequence> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const source = await requireRecord(inner, sequence, id)
    const steps = await stepsOf(inner, source.id)
    const { name, description, entityTypes, settings, tags, metadata, customFields } = source
    const content = { description, entityTypes, settings, tags, metadata, customFields }
    const implied = { stepCount: steps.length, stepRevision: steps.length }
    const copy = await recordsOf(sequence).create(inner, { ...content, name: copyName(name) }, implied)
    const ids = new Map(steps.map((step) => [step.id, newId()]))
    for (const step of steps)
      await recordsOf(sequenceStep).create(inner, copiedStep(step, ids), {
        sequenceId: copy.id,
        position: step.position,
      })
    await checkSteps(inner, copy, await stepsOf(inner, copy.id))
    return copy
  })
}
