import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireRight, requireWritableRole, save } from '../../kernel/record/save.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { insertSteps, moveSteps, refuseNewStep, refuseUrl, type StepContext, type StepInput } from './new-steps.ts'
import { sequence, sequenceStep } from './sequence.record.ts'
import { requireNotArchived } from './sequence.rules.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceStep } from './sequence-step.ts'
import { refuseConditions } from './step-conditions.ts'
import { checkSteps, stepsOf } from './stored-steps.ts'

type Version = number | null

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
  requireRights: (inner: C, steps: readonly SequenceStep[]) => void = () => {},
): Promise<Changed<T>> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const previous = await requireRecord(inner, sequence, sequenceId, { isLocked: true })
    const before = await stepsOf(inner, previous.id)
    requireRights(inner, before)
    await requireNotArchived(inner, previous)
    const result = await work(inner, before, previous)
    const steps = await stepsOf(inner, previous.id)
    await checkSteps(inner, previous, steps)
    const implied = { stepCount: steps.length, stepRevision: previous.stepRevision + 1 }
    const draft = { operation: 'UPDATE', previous, values: {}, implied, expectedVersion } as const
    return { result, sequence: await save(inner, sequence, draft) }
  })
}

/** Checks what the record definition cannot check, because it needs the sequence. */
function refuseCondition(
  ctx: RequestContext,
  { entityTypes }: Sequence,
  { condition }: StepInput,
  previous: SequenceStep,
): void {
  if (condition && !isSameValue(condition, previous.condition)) refuseConditions(ctx, condition, entityTypes)
}

/** Only administrators let the platform call another address. */
function requireRightToCall(ctx: RequestContext, { webhookUrl }: StepInput, previous: SequenceStep): void {
  if (webhookUrl && webhookUrl !== previous.webhookUrl) requireAdministrator(ctx)
}

function requireStep(steps: readonly SequenceStep[], id: string): SequenceStep {
  const found = steps.find((step) => step.id === id.toLowerCase())
  if (!found) throw notFound('The sequence_step')
  return found
}

export async function addStep(ctx: StepContext, sequenceId: string, input: StepInput): Promise<SequenceStep> {
  await refuseNewStep(ctx, input)
  const { result } = await changeSteps(ctx, sequenceId, (inner, steps, previous) =>
    insertSteps(inner, previous, steps, [input]),
  )
  return result[0]!
}

export async function changeStep(
  ctx: StepContext,
  sequenceId: string,
  stepId: string,
  input: StepInput,
  expectedVersion: Version,
): Promise<SequenceStep> {
  requireRight(ctx, sequenceStep, input)
  await refuseUrl(ctx, input)
  const { result } = await changeSteps(
    ctx,
    sequenceId,
    async (inner, steps, previous) => {
      const step = requireStep(steps, stepId)
      refuseCondition(inner, previous, input, step)
      return recordsOf(sequenceStep).update(inner, step.id, input, expectedVersion)
    },
    null,
    (inner, steps) => requireRightToCall(inner, input, requireStep(steps, stepId)),
  )
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
    await moveSteps(inner, rest, ({ position }) => (position > step.position ? position - 1 : position))
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
      await moveSteps(inner, steps, ({ id }) => positions.get(id)!)
    },
    expectedVersion,
  )
  return changed
}
