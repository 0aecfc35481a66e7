import { nextAllowed, type SendWindow } from './send-window.ts'
import type { ReadStep } from './sequence-reading.ts'

const hourMs = 3_600_000

/** The steps of a sequence, for one enrollment. */
export interface Way {
  /** The live steps in their order. */
  readonly steps: readonly ReadStep[]
  /** Ids of the steps that the present round has executed. */
  readonly executed: ReadonlySet<string>
}

const noneExecuted: ReadonlySet<string> = new Set()

/** The first active step from this position on that the round has not executed. */
const activeFrom = ({ steps, executed }: Way, position: number): ReadStep | null =>
  steps.find((step) => step.position >= position && step.isActive && !step.isDeleted && !executed.has(step.id)) ?? null

export const firstStep = (steps: readonly ReadStep[]): ReadStep | null =>
  activeFrom({ steps, executed: noneExecuted }, 1)

/** The step that is executed where `current` was to be: itself, or the first active one from its place if it is deleted or not active. */
export function stepInPlaceOf(way: Way, current: ReadStep, byId: ReadonlyMap<string, ReadStep>): ReadStep | null {
  let step: ReadStep | undefined = current
  // A deleted step names the one that took its place, which may have been deleted, too.
  for (let hops = 0; step?.isDeleted && hops < 100; hops++)
    step = step.successorId === null ? undefined : byId.get(step.successorId)
  if (!step || step.isDeleted) return null
  return step.isActive && !way.executed.has(step.id) ? step : activeFrom(way, step.position)
}

/** Passes over steps that are not active, with their delays. */
export const stepAfter = (way: Way, { position }: Pick<ReadStep, 'position'>): ReadStep | null =>
  activeFrom(way, position + 1)

export interface Branch {
  readonly step: ReadStep
  /** The step was executed in this round, so the next round begins. */
  readonly isNextRound: boolean
}

/** The step to which a condition leads: the named one, or the next one without a name or if that step was deleted. */
export function branchOf(way: Way, condition: ReadStep, isMet: boolean): Branch | null {
  const id = isMet ? condition.condition?.onTrueStepId : condition.condition?.onFalseStepId
  const target = id ? way.steps.find((step) => step.id === id && !step.isDeleted) : undefined
  const executed = new Set([...way.executed, condition.id])
  if (!target) {
    const step = stepAfter({ steps: way.steps, executed }, condition)
    return step && { step, isNextRound: false }
  }
  const isNextRound = executed.has(target.id)
  const step = activeFrom({ steps: way.steps, executed: isNextRound ? noneExecuted : executed }, target.position)
  return step && { step, isNextRound }
}

/** When a step is due that follows a step executed at `now`; mails only in the send window. */
export function dueAt(step: ReadStep, enrolledAt: Date, now: Date, window: SendWindow): Date {
  const delayMs = (step.delayDays * 24 + step.delayHours) * hourMs
  const from = step.delayFrom === 'ENROLLMENT' ? enrolledAt : now
  const due = new Date(Math.max(now.getTime(), from.getTime() + delayMs))
  return step.type === 'EMAIL' ? nextAllowed(due, window) : due
}
