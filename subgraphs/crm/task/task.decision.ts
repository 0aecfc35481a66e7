import { actorIdOf } from '../../kernel/context.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import { newIdFor } from '../../kernel/outbound/external-call.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { impliedLinks } from '../related-record/related-record.rules.ts'
import { nextOccurrence } from './recurrence.ts'
import { recurrenceZone } from './recurrence-zone.ts'
import type { TaskStatus } from './task.enumerations.ts'
import type { Task } from './task.ts'

type Before = Pick<Task, 'status' | 'dueDate' | 'isOverdue' | 'assignedToId'>

const initial: Before = { status: 'NOT_STARTED', dueDate: null, isOverdue: false, assignedToId: null }

export const isOpen = (status: TaskStatus): boolean => status !== 'COMPLETED' && status !== 'CANCELLED'

const orBefore = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

/** Whether a task is past its due date. The job `task.overdue` sets the stored value when the time passes. */
export const isPastDue = ({ status, dueDate }: Pick<Task, 'status' | 'dueDate'>, now: string): boolean =>
  isOpen(status) && dueDate !== null && dueDate <= now

/** What follows from the values of a task: the records that it concerns, its completion, and whether it is overdue. */
export async function decideTask(
  ctx: RequestContext,
  values: Partial<Task>,
  previous: Task | null,
): Promise<Decided<Task>> {
  const now = ctx.clock.now().toISOString()
  const before = previous ?? initial
  const status = values.status ?? before.status
  const isOverdue = isPastDue({ status, dueDate: orBefore(values.dueDate, before.dueDate) }, now)
  const implied = {
    isOverdue,
    ...(status !== before.status && completion(ctx, status, now)),
    ...(previous && (await nextOfSeries(ctx, previous, values, status))),
    ...(previous && reminderReset(previous, values, now)),
    ...(await impliedLinks(ctx, values, previous)),
  }
  return { implied, events: previous ? eventsOfChange(previous, values, status, isOverdue) : [] }
}

/** Completing a task of a series creates the next one; `createNextTask` writes it in the same transaction. */
async function nextOfSeries(
  ctx: RequestContext,
  previous: Task,
  values: Partial<Task>,
  status: TaskStatus,
): Promise<Partial<Task>> {
  const rule = orBefore(values.recurrenceRule, previous.recurrenceRule)
  const dueDate = orBefore(values.dueDate, previous.dueDate)
  const isCompletion = status === 'COMPLETED' && previous.status !== 'COMPLETED'
  if (!isCompletion || previous.nextTaskId !== null || rule === null || dueDate === null) return {}
  const zone = await recurrenceZone(ctx, orBefore(values.assignedToId, previous.assignedToId))
  const nextTaskId = newIdFor(ctx, `task after ${previous.id} ${previous.version}`)
  return nextOccurrence(rule, dueDate, zone) ? { nextTaskId } : {}
}

/** Another time in the future is reminded of again; one in the past is not, because its reminder was emitted. */
function reminderReset({ reminderAt: before, remindedAt }: Task, values: Partial<Task>, now: string): Partial<Task> {
  const reminderAt = orBefore(values.reminderAt, before)
  const isNewTime = remindedAt !== null && reminderAt !== before && (reminderAt === null || reminderAt > now)
  return isNewTime ? { remindedAt: null } : {}
}

const completion = (ctx: RequestContext, status: TaskStatus, now: string): Partial<Task> =>
  status === 'COMPLETED'
    ? { completedAt: now, completedById: actorIdOf(ctx.caller) }
    : { completedAt: null, completedById: null }

function eventsOfChange(previous: Task, values: Partial<Task>, status: TaskStatus, isOverdue: boolean): string[] {
  // Input ids may be in upper case; stored ids are in lower case.
  const assignedToId = orBefore(values.assignedToId, previous.assignedToId)?.toLowerCase() ?? null
  return [
    ...(status === 'COMPLETED' && previous.status !== 'COMPLETED' ? ['task.completed'] : []),
    ...(isOpen(status) && !isOpen(previous.status) ? ['task.reopened'] : []),
    ...(assignedToId !== previous.assignedToId ? ['task.assigned'] : []),
    ...(isOverdue && !previous.isOverdue ? ['task.overdue'] : []),
  ]
}
