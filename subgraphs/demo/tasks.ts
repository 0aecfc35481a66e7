import { nextOccurrence } from '../crm/task/recurrence.ts'
import { isPastDue } from '../crm/task/task.decision.ts'
import type { Task } from '../crm/task/task.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, minuteMs, timeBetween, workTime } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import type { Random } from './random.ts'
import { fillFor, type Subject } from './subjects.ts'
import { routines, workOf, type Work } from './vocabulary/work.ts'

type DemoTask = GeneratedRecord<Task>

/** How a task stands at midnight. */
export type Standing = 'DONE' | 'OPEN' | 'OVERDUE'

interface TaskInput {
  readonly input: GeneratorInput
  readonly random: Random
  readonly subject: Subject
  readonly work: Work
  readonly createdMs: number
  readonly dueMs: number
  /** Null for an open task. */
  readonly completedMs: number | null
}

/** Work on the subject that fits the stage of a deal at that time. */
export function taskFor(input: GeneratorInput, random: Random, subject: Subject, standing: Standing): DemoTask {
  const { midnightMs } = input
  const { fromMs, toMs } = subject
  const lastMs = midnightMs - hourMs
  const firstMs = fromMs + Math.min(hourMs, (midnightMs - fromMs) / 2)
  const createdMs =
    standing === 'DONE'
      ? timeBetween(random, fromMs, Math.max(firstMs, Math.min(toMs, lastMs) - 2 * dayMs))
      : timeBetween(random, Math.max(fromMs, midnightMs - (standing === 'OPEN' ? 9 : 25) * dayMs), lastMs)
  const dueMs =
    standing === 'OPEN'
      ? workTime(random, midnightMs + random.whole(3, 21) * dayMs)
      : standing === 'OVERDUE'
        ? Math.min(Math.max(workTime(random, createdMs + random.whole(1, 12) * dayMs), createdMs + hourMs), lastMs)
        : Math.max(workTime(random, createdMs + random.whole(1, 9) * dayMs), createdMs + 2 * hourMs)
  const completedMs = standing === 'DONE' ? timeBetween(random, createdMs, Math.min(dueMs + 2 * dayMs, lastMs)) : null
  const isClosed = standing === 'DONE' && createdMs >= lastMs
  const work = random.pick(workOf[subject.phaseAt(createdMs)]!)
  return taskOf({
    input,
    random,
    subject,
    work,
    createdMs,
    dueMs,
    completedMs: isClosed ? createdMs + Math.min(minuteMs, (midnightMs - createdMs) / 2) : completedMs,
  })
}

function taskOf({ input, random, subject, work, createdMs, dueMs, completedMs }: TaskInput): DemoTask {
  const { owner, related, partners } = subject
  const partner = random.pick(partners)
  const fill = fillFor(input, random, subject, partner)
  const midnight = iso(input.midnightMs)
  const hasReminder = random.chance(0.35) && dueMs - hourMs > createdMs
  const status = completedMs
    ? random.chance(0.94)
      ? ('COMPLETED' as const)
      : ('CANCELLED' as const)
    : random.weighted({ NOT_STARTED: 62, IN_PROGRESS: 26, WAITING: 12 })
  const isCompleted = status === 'COMPLETED'
  const dueDate = iso(dueMs)
  const reminderMs = dueMs - hourMs
  const isReminded = hasReminder && reminderMs <= (completedMs ?? input.midnightMs)
  const values = {
    ...commonFields(input, random, createdMs, owner.id),
    updatedAt: iso(completedMs ?? createdMs),
    ownerId: owner.id,
    assignedToId: owner.id,
    ...related,
    contactId: related.contactId ?? (partner.type === 'CONTACT' ? partner.id : null),
    type: work.type,
    subject: fill(work.subject),
    status,
    priority: random.weighted({ LOW: 14, MEDIUM: 58, HIGH: 23, URGENT: 5 }),
    dueDate,
    reminderAt: hasReminder ? iso(reminderMs) : null,
    // The job looks every minute.
    remindedAt: isReminded ? iso(reminderMs + 2_000) : null,
    completedAt: isCompleted ? iso(completedMs!) : null,
    completedById: isCompleted ? owner.id : null,
    isOverdue: isPastDue({ status, dueDate }, midnight),
  }
  return { values, actorId: owner.id, eventId: random.id(createdMs) }
}

/** A series of tasks: each was created when the one before it was completed; the last one is open. */
export function seriesFor(input: GeneratorInput, random: Random, subject: Subject): DemoTask[] {
  const { midnightMs } = input
  const { rule, ...work } = random.pick(routines)
  const tasks: DemoTask[] = []
  let createdMs = timeBetween(random, Math.max(subject.fromMs, midnightMs - 300 * dayMs), midnightMs - dayMs)
  let dueMs = workTime(random, createdMs + random.whole(10, 30) * dayMs)
  for (;;) {
    const isDone = dueMs < midnightMs - dayMs
    const completedMs = isDone ? dueMs + random.whole(-40, 90) * minuteMs : null
    const task = taskOf({ input, random, subject, work, createdMs, dueMs, completedMs })
    const common = { recurrenceRule: rule, priority: 'MEDIUM' as const, reminderAt: null, remindedAt: null }
    const state = isDone
      ? { status: 'COMPLETED' as const, completedAt: iso(completedMs!), completedById: subject.owner.id }
      : {}
    const previous = tasks.at(-1)
    if (previous) previous.values.nextTaskId = task.values.id
    tasks.push({
      ...task,
      values: { ...task.values, subject: previous?.values.subject ?? task.values.subject!, ...common, ...state },
    })
    if (completedMs === null) return tasks
    dueMs = Date.parse(nextOccurrence(rule, iso(dueMs), 'UTC')!.dueDate)
    createdMs = completedMs
  }
}
