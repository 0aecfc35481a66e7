import { nextAllowed, type SendWindow } from './send-window.ts'
import type { ReadStep } from './sequence-reading.ts'

const hourMs = 3_600_000

/** The first active step from this position on. `steps` are the live steps in their order. */
const activeFrom = (steps: readonly ReadStep[], position: number): ReadStep | null =>
  steps.find((step) => step.position >= position && step.isActive && !step.isDeleted) ?? null

export const firstStep = (steps: readonly ReadStep[]): ReadStep | null => activeFrom(steps, 1)

/** The step that is executed where `current` was to be: itself, or the first active one from its position if it is deleted or not active. */
export const stepInPlaceOf = (steps: readonly ReadStep[], current: ReadStep): ReadStep | null =>
  current.isActive && !current.isDeleted ? current : activeFrom(steps, current.position)

export const stepAfter = (steps: readonly ReadStep[], { position }: Pick<ReadStep, 'position'>): ReadStep | null =>
  activeFrom(steps, position + 1)

/** The step to which a condition leads: the named one, or the next one without a name or if that step was deleted. */
export function branchOf(steps: readonly ReadStep[], condition: ReadStep, isMet: boolean): ReadStep | null {
  const id = isMet ? condition.condition?.onTrueStepId : condition.condition?.onFalseStepId
  const target = id ? steps.find((step) => step.id === id && !step.isDeleted) : undefined
  return target ? activeFrom(steps, target.position) : stepAfter(steps, condition)
}

/** When a step is due that follows a step executed at `now`; mails only in the send window. */
export function dueAt(step: ReadStep, enrolledAt: Date, now: Date, window: SendWindow): Date {
  const delayMs = (step.delayDays * 24 + step.delayHours) * hourMs
  const from = step.delayFrom === 'ENROLLMENT' ? enrolledAt : now
  const due = new Date(Math.max(now.getTime(), from.getTime() + delayMs))
  return step.type === 'EMAIL' ? nextAllowed(due, window) : due
}
