import type { FieldProblem } from '../../kernel/errors.ts'
import { delayHoursOf } from './step.rules.ts'
import type { SequenceStep } from './sequence-step.ts'

/** What the way through a sequence depends on. */
export type OrderedStep = Pick<
  SequenceStep,
  'id' | 'position' | 'type' | 'isActive' | 'condition' | 'delayDays' | 'delayHours' | 'delayFrom'
>

/** The first active step from a position on; null behind the last one. The steps are in their order. */
const firstActive = (steps: readonly OrderedStep[], position: number): OrderedStep | null =>
  steps.find((step) => step.isActive && step.position >= position) ?? null

/** The step to which an id of a condition leads; null behind the last one. */
function target(steps: readonly OrderedStep[], id: string | null, from: OrderedStep): OrderedStep | null {
  const found = id === null ? undefined : steps.find((step) => step.id === id)
  return firstActive(steps, found ? found.position : from.position + 1)
}

/** The steps that can follow an active step. */
function following(steps: readonly OrderedStep[], step: OrderedStep): OrderedStep[] {
  const ids = step.type === 'CONDITION' ? [step.condition?.onTrueStepId, step.condition?.onFalseStepId] : [null]
  return ids.flatMap((id) => target(steps, id ?? null, step) ?? [])
}

/** A delay from the enrollment has passed when a loop comes back to the step. */
const isDelayed = (step: OrderedStep): boolean => step.delayFrom === 'PREVIOUS_STEP' && delayHoursOf(step) > 0

/** The active steps of a way that comes back to its beginning without any delay; null if every loop has a delay. */
export function loopWithoutDelay(steps: readonly OrderedStep[]): OrderedStep[] | null {
  const ended = new Set<string>()
  const way: OrderedStep[] = []
  const visit = (step: OrderedStep): OrderedStep[] | null => {
    const at = way.indexOf(step)
    if (at >= 0) return way.slice(at)
    if (ended.has(step.id)) return null
    way.push(step)
    for (const next of following(steps, step)) {
      const loop = isDelayed(next) ? null : visit(next)
      if (loop) return loop
    }
    way.pop()
    ended.add(step.id)
    return null
  }
  for (const step of steps) {
    const loop = step.isActive ? visit(step) : null
    if (loop) return loop
  }
  return null
}

/** Conditions of a step must lead to steps of the sequence, and no loop may run without a delay. */
export function orderProblems(steps: readonly OrderedStep[]): FieldProblem[] {
  const ids = new Set(steps.map(({ id }) => id))
  const problems = steps.flatMap(({ id: stepId, condition }) =>
    (['onTrueStepId', 'onFalseStepId'] as const).flatMap((name): FieldProblem[] => {
      const id = condition?.[name] ?? null
      if (id === null || ids.has(id)) return []
      const path = `condition.${name}`
      return [
        { path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the id of a step of the same sequence.`, stepId },
      ]
    }),
  )
  const loop = problems.length === 0 ? loopWithoutDelay(steps) : null
  if (!loop) return problems
  const positions = loop.map(({ position }) => position).join(', ')
  const message = `The steps ${positions} lead back to themselves without a delay; give one of them a delay from the previous step.`
  const stepIds = loop.map(({ id }) => id)
  const condition = loop.find(({ type }) => type === 'CONDITION')
  return [{ path: 'condition', code: 'ENDLESS_LOOP', message, stepId: condition?.id, stepIds }]
}
