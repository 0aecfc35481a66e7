import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { receiverUrlProblems } from '../../kernel/outbound/receiver-url.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { sequence, sequenceStep } from './sequence.record.ts'
import { requireNotArchived } from './sequence.rules.ts'
import type { Sequence } from './sequence.ts'
import { stepsMax, webhookUrlMax, type SequenceStep } from './sequence-step.ts'
import { refuseConditions } from './step-conditions.ts'
import { checkSteps, stepsOf } from './stored-steps.ts'

type Version = number | null
type StepInput = { readonly [Name in keyof SequenceStep]?: SequenceStep[Name] | null }
export type StepContext = RequestContext<'outbound'>

interface Changed<T> {
  readonly result: T
  readonly sequence: Sequence
}

/**
 * Changes steps of a sequence: changes of the same sequence wait for each other, the steps must be right together afterwards, and the
 * sequence gets a new version.
 */
function changeSteps<T, C extends RequestContext>(
  ctx: C,
  sequenceId: string,
  work: (inner: C, steps: readonly SequenceStep[], previous: Sequence) => Promise<T>,
  expectedVersion: Version = null,
): Promise<Changed<T>> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const previous = await requireRecord(inner, sequence, sequenceId, { isLocked: true })
    requireNotArchived(previous)
    const result = await work(inner, await stepsOf(inner, previous.id), previous)
    const steps = await stepsOf(inner, previous.id)
    await checkSteps(inner, previous, steps)
    const implied = { stepCount: steps.length, stepRevision: previous.stepRevision + 1 }
    const draft = { operation: 'UPDATE', previous, values: {}, implied, expectedVersion } as const
    return { result, sequence: await save(inner, sequence, draft) }
  })
}

/** Checks what the record definition cannot check, because it needs the sequence or the role of the caller. */
function refuseStep(
  ctx: RequestContext,
  { entityTypes }: Sequence,
  { condition, webhookUrl }: StepInput,
  previous: SequenceStep | null,
): void {
  if (condition && !isSameValue(condition, previous?.condition)) refuseConditions(ctx, condition, entityTypes)
  if (webhookUrl && webhookUrl !== previous?.webhookUrl) requireAdministrator(ctx)
}

/** May ask DNS, so it runs before the transaction. */
async function refuseUrl(ctx: StepContext, { webhookUrl }: StepInput): Promise<void> {
  if (!webhookUrl || webhookUrl.length > webhookUrlMax) return
  const problems = await receiverUrlProblems(ctx.outbound, webhookUrl, 'webhookUrl')
  if (problems.length > 0) throw invalid(...problems)
}

function requireStep(steps: readonly SequenceStep[], id: string): SequenceStep {
  const found = steps.find((step) => step.id === id.toLowerCase())
  if (!found) throw notFound('The sequence_step')
  return found
}

const move = (ctx: RequestContext, steps: readonly SequenceStep[], by: (step: SequenceStep) => number): Promise<void> =>
  changeAll(
    ctx,
    sequenceStep,
    steps.filter((step) => by(step) !== step.position).map(({ id }) => id),
    (step) => ({ position: by(step) }),
  )

export async function addStep(ctx: StepContext, sequenceId: string, input: StepInput): Promise<SequenceStep> {
  await refuseUrl(ctx, input)
  const { result } = await changeSteps(ctx, sequenceId, async (inner, steps, previous) => {
    refuseStep(inner, previous, input, null)
    if (steps.length >= stepsMax)
      throw invalid({ path: 'steps', code: 'TOO_MANY', message: `A sequence must have at most ${stepsMax} steps.` })
    const { position: given, ...values } = input
    const isGiven = given !== null && given !== undefined
    if (isGiven && (given < 1 || given > stepsMax)) {
      const message = `position must be between 1 and ${stepsMax}.`
      throw invalid({ path: 'position', code: 'OUT_OF_RANGE', message })
    }
    const position = isGiven ? Math.min(given, steps.length + 1) : steps.length + 1
    await move(inner, steps, (step) => (step.position >= position ? step.position + 1 : step.position))
    return recordsOf(sequenceStep).create(inner, values, { sequenceId: previous.id, position })
  })
  return result
}

export async function changeStep(
  ctx: StepContext,
  sequenceId: string,
  stepId: string,
  input: StepInput,
  expectedVersion: Version,
): Promise<SequenceStep> {
  await refuseUrl(ctx, input)
  const { result } = await changeSteps(ctx, sequenceId, async (inner, steps, previous) => {
    const step = requireStep(steps, stepId)
    refuseStep(inner, previous, input, step)
    return recordsOf(sequenceStep).update(inner, step.id, input, expectedVersion)
  })
  return result
}

/** Who is in the step goes on with the one that takes its place. */
export async function removeStep(
  ctx: RequestContext,
  sequenceId: string,
  stepId: string,
  expectedVersion: Version,
): Promise<Sequence> {
  const { sequence: changed } = await changeSteps(ctx, sequenceId, async (inner, steps) => {
    const step = requireStep(steps, stepId)
    const dependents = steps.filter(
      ({ id, condition }) =>
        id !== step.id && (condition?.onTrueStepId === step.id || condition?.onFalseStepId === step.id),
    )
    if (dependents.length > 0) {
      const message = `Conditions of the steps ${dependents.map(({ position }) => position).join(', ')} lead to this step; change them first.`
      throw new Refusal('HAS_DEPENDENTS', message, { stepIds: dependents.map(({ id }) => id) })
    }
    const successor = steps.find(({ position }) => position === step.position + 1)
    const draft = { operation: 'DELETE', previous: step, values: {}, expectedVersion } as const
    await save(inner, sequenceStep, { ...draft, implied: { successorId: successor?.id ?? null } })
    const rest = steps.filter(({ id }) => id !== step.id)
    await move(inner, rest, ({ position }) => (position > step.position ? position - 1 : position))
  })
  return changed
}

/** The new order must name every step once. */
export async function reorderSteps(
  ctx: RequestContext,
  sequenceId: string,
  stepIds: readonly string[],
  expectedVersion: Version,
): Promise<Sequence> {
  const { sequence: changed } = await changeSteps(
    ctx,
    sequenceId,
    async (inner, steps) => {
      const positions = new Map(stepIds.map((id, index) => [id.toLowerCase(), index + 1]))
      const isPermutation =
        stepIds.length === steps.length && stepIds.every((id) => isId(id)) && steps.every(({ id }) => positions.has(id))
      if (!isPermutation) {
        const message = `stepIds must contain the id of each of the ${steps.length} steps of the sequence exactly once.`
        throw invalid({ path: 'stepIds', code: 'NOT_A_PERMUTATION', message })
      }
      await move(inner, steps, ({ id }) => positions.get(id)!)
    },
    expectedVersion,
  )
  return changed
}
