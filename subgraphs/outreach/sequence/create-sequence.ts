import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { atPath, insertSteps, refuseNewStep, requireRoom, type StepContext, type StepInput } from './new-steps.ts'
import { sequence } from './sequence.record.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceStep } from './sequence-step.ts'
import { checkSteps, stepsOf } from './stored-steps.ts'

export type SequenceInput = Partial<Sequence> & { readonly steps?: readonly StepInput[] | null }

const pathOf = (index: number): string => `steps.${index}`

/** What is wrong with all steps together, at the step in the input that it is about. */
async function checkTogether(ctx: RequestContext, created: Sequence, steps: readonly SequenceStep[]): Promise<void> {
  try {
    await checkSteps(ctx, created, await stepsOf(ctx, created.id))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_FAILED') throw error
    const problems = (error.extensions.errors ?? []) as FieldProblem[]
    const indexes = new Map(steps.map(({ id }, index) => [id, index]))
    const located = problems.map(({ stepId, ...problem }): FieldProblem => {
      const index = indexes.get(stepId as string)
      return { ...problem, path: index === undefined ? 'steps' : `${pathOf(index)}.${problem.path}` }
    })
    throw invalid(...located)
  }
}

/** Creates a sequence with its steps, all or nothing. */
export async function createSequence(ctx: StepContext, { steps, ...values }: SequenceInput): Promise<Sequence> {
  requireWritableRole(ctx)
  const inputs = steps ?? []
  if (inputs.length === 0) return recordsOf(sequence).create(ctx, values)
  requireRoom(inputs.length)
  await Promise.all(inputs.map((input, index) => atPath(pathOf(index), () => refuseNewStep(ctx, input))))
  return inTransaction(ctx, async (inner) => {
    const implied = { stepCount: inputs.length, stepRevision: inputs.length }
    const created = await recordsOf(sequence).create(inner, values, implied)
    await checkTogether(inner, created, await insertSteps(inner, created, [], inputs, pathOf))
    return created
  })
}
