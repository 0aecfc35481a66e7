import type { Lead } from '../crm/lead/lead.ts'
import type { Task } from '../crm/task/task.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { minuteMs } from './calendar.ts'
import { withHistory, type Step } from './history.ts'
import type { DemoLead } from './leads.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** The leads with the events of their first answer, of what became of them, and of their conversion. */
export function withLeadHistory(input: GeneratorInput, leads: readonly DemoLead[]): DemoLead[] {
  const random = new Random(`history of leads ${input.profile.code}`)
  return leads.map((lead) => ({ ...lead, given: historyOfLead(random, lead.given) }))
}

function historyOfLead(random: Random, given: GeneratedRecord<Lead>): GeneratedRecord<Lead> {
  const { values } = given
  const { status, firstResponseAt, convertedAt, updatedAt, unqualifiedReason } = values
  const actorId = values.ownerId!
  const respondedMs = firstResponseAt ? Date.parse(firstResponseAt) : null
  const steps: Step<Lead>[] = []
  if (respondedMs !== null)
    steps.push({ atMs: respondedMs, actorId, values: { status: 'CONTACTED', firstResponseAt: firstResponseAt! } })
  if (convertedAt) {
    const convertedMs = Date.parse(convertedAt)
    const qualifiedMs = Math.round(((respondedMs ?? convertedMs) + convertedMs) / 2)
    const { convertedById, convertedAccountId, convertedContactId, convertedOpportunityId = null } = values
    const ids = { convertedById, convertedAccountId, convertedContactId, convertedOpportunityId } as Partial<Lead>
    steps.push(
      { atMs: Math.min(qualifiedMs, convertedMs - minuteMs), actorId, values: { status: 'QUALIFIED' } },
      {
        atMs: convertedMs,
        actorId,
        values: { status: 'CONVERTED', convertedAt, ...ids },
        events: ['lead.converted'],
        isEventReplaced: true,
      },
    )
  } else if (status !== 'NEW' && status !== 'CONTACTED') {
    const reason = unqualifiedReason ? { unqualifiedReason } : {}
    steps.push({ atMs: Date.parse(updatedAt!), actorId, values: { status: status!, ...reason } })
  }
  const created: Partial<Lead> = {
    status: 'NEW',
    firstResponseAt: null,
    unqualifiedReason: null,
    convertedAt: null,
    convertedById: null,
    convertedAccountId: null,
    convertedContactId: null,
    convertedOpportunityId: null,
  }
  return withHistory(random, given, created, steps)
}

/** The tasks with the events of their reminder, of their due time and of their completion. */
export function withTaskHistory(
  input: GeneratorInput,
  tasks: readonly GeneratedRecord<Task>[],
): GeneratedRecord<Task>[] {
  const random = new Random(`history of tasks ${input.profile.code}`)
  return tasks.map((task) => historyOfTask(random, task))
}

function historyOfTask(random: Random, given: GeneratedRecord<Task>): GeneratedRecord<Task> {
  const { values } = given
  const { status, completedAt, completedById, remindedAt, isOverdue, dueDate, nextTaskId = null, updatedAt } = values
  const isDone = status === 'COMPLETED' || status === 'CANCELLED'
  const actorId = values.ownerId!
  const steps: Step<Task>[] = []
  if (remindedAt)
    steps.push({
      atMs: Date.parse(remindedAt),
      actorId: null,
      values: { remindedAt },
      events: ['task.reminder'],
    })
  if (isOverdue && dueDate)
    // The job looks every minute.
    steps.push({
      atMs: Date.parse(dueDate) + minuteMs,
      actorId: null,
      values: { isOverdue },
      events: ['task.overdue'],
    })
  if (isDone)
    steps.push({
      atMs: Date.parse(completedAt ?? updatedAt!),
      actorId,
      values: { status, completedAt: completedAt ?? null, completedById: completedById ?? null, nextTaskId },
      events: status === 'COMPLETED' ? ['task.completed'] : [],
    })
  const created: Partial<Task> = {
    ...(isDone && { status: 'NOT_STARTED', completedAt: null, completedById: null, nextTaskId: null }),
    remindedAt: null,
    isOverdue: false,
  }
  return withHistory(random, given, created, steps)
}
