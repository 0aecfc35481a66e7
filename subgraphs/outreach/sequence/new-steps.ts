import { invalid, Refusal } from '../../kernel/errors.ts'
import { receiverUrlProblems } from '../../kernel/outbound/receiver-url.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { sequenceStep } from './sequence.record.ts'
import type { Sequence } from './sequence.ts'
import { stepsMax, webhookUrlMax, type SequenceStep } from './sequence-step.ts'
import { refuseConditions } from './step-conditions.ts'

export type StepInput = { readonly [Name in keyof SequenceStep]?: SequenceStep[Name] | null }
export type StepContext = RequestContext<'outbound'>

/** Gives the problems of an input the path of that input, because they name its fields only. */
export async function atPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !error.extensions.errors) throw error
    const problems = error.extensions.errors as { path: string; code: string; message: string }[]
    const errors = problems.map((problem) => ({
      ...problem,
      path: `${path}.${problem.path}`,
      message: problem.message.startsWith(problem.path) ? `${path}.${problem.message}` : problem.message,
    }))
    if (error.code === 'VALIDATION_FAILED') throw invalid(...errors)
    throw new Refusal(error.code, error.message, { ...error.extensions, errors })
  }
}

/** May ask DNS, so it runs before the transaction. */
export async function refuseUrl(ctx: StepContext, { webhookUrl }: StepInput): Promise<void> {
  if (!webhookUrl || webhookUrl.length > webhookUrlMax) return
  const problems = await receiverUrlProblems(ctx.outbound, webhookUrl, 'webhookUrl')
  if (problems.length > 0) throw invalid(...problems)
}

/** Checks a step that does not exist yet, before the transaction. DNS is asked only for callers who may set an address. */
export async function refuseNewStep(ctx: StepContext, input: StepInput): Promise<void> {
  requireWritableRole(ctx)
  if (input.webhookUrl) requireAdministrator(ctx)
  const { position } = input
  if (position !== null && position !== undefined && (position < 1 || position > stepsMax)) {
    const message = `position must be between 1 and ${stepsMax}.`
    throw invalid({ path: 'position', code: 'OUT_OF_RANGE', message })
  }
  await refuseUrl(ctx, input)
}

export function requireRoom(count: number): void {
  if (count <= stepsMax) return
  throw invalid({ path: 'steps', code: 'TOO_MANY', message: `A sequence must have at most ${stepsMax} steps.` })
}

/** Moves steps to the positions that a function says. */
export const moveSteps = (
  ctx: RequestContext,
  steps: readonly SequenceStep[],
  to: (step: SequenceStep) => number,
): Promise<void> =>
  changeAll(
    ctx,
    sequenceStep,
    steps.filter((step) => to(step) !== step.position).map(({ id }) => id),
    (step) => ({ position: to(step) }),
  )

/** The order after each new step took its position, one after the other; without a position, or behind the end, it takes the end. */
function orderWith<Old, New extends StepInput>(steps: readonly Old[], added: readonly New[]): (Old | New)[] {
  const order: (Old | New)[] = [...steps]
  for (const step of added) order.splice((step.position ?? order.length + 1) - 1, 0, step)
  return order
}

/** Creates checked steps of a sequence that the caller has locked or created, and moves the others. */
export async function insertSteps(
  ctx: RequestContext,
  { id: sequenceId, entityTypes }: Sequence,
  steps: readonly SequenceStep[],
  inputs: readonly StepInput[],
  pathOf: (index: number) => string | null = () => null,
): Promise<SequenceStep[]> {
  requireRoom(steps.length + inputs.length)
  const order = orderWith(steps, inputs)
  const positions = new Map(steps.map((step) => [step.id, order.indexOf(step) + 1]))
  await moveSteps(ctx, steps, ({ id }) => positions.get(id)!)
  const created: SequenceStep[] = []
  for (const [index, input] of inputs.entries()) {
    const create = async () => {
      if (input.condition) refuseConditions(ctx, input.condition, entityTypes)
      const { position: _, ...values } = input
      return recordsOf(sequenceStep).create(ctx, values, { sequenceId, position: order.indexOf(input) + 1 })
    }
    const path = pathOf(index)
    created.push(await (path === null ? create() : atPath(path, create)))
  }
  return created
}
