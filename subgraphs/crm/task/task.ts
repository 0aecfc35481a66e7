import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { RelatedRecord } from '../related-record/related-record.ts'
import { TaskPriority, TaskSource, TaskStatus, TaskType } from './task.enumerations.ts'

@ObjectType({ description: 'Work that a user must do, for example a call by a date.' })
@Directive('@key(fields: "id")')
@RequiresScope('TASKS')
@Entity({ schema: 'crm', tableName: 'task' })
export class Task extends RelatedRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'What to do, in one line.',
    example: 'Call the yard about the renewal',
  })
  subject!: string

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Details of the work, as free text; null if none.',
    example: 'Ask for the number of seats and the start of the next term.',
  })
  description!: string | null

  @Column(() => TaskType, { indexed: true, default: 'TODO', description: 'Kind of work.', example: 'CALL' })
  type!: TaskType

  @Column(() => TaskStatus, {
    indexed: true,
    default: 'NOT_STARTED',
    description: 'How far the work is. COMPLETED sets `completedAt` and `completedById`; another status clears both.',
    example: 'NOT_STARTED',
  })
  status!: TaskStatus

  @Column(() => TaskPriority, { indexed: true, default: 'MEDIUM', description: 'Urgency.', example: 'HIGH' })
  priority!: TaskPriority

  @Column(() => DateTime, {
    indexed: true,
    indexedByDay: true,
    nullable: true,
    day: 'END',
    description: 'When it must be done; null if at any time.',
    example: '2026-11-05T15:00:00.000Z',
  })
  dueDate!: string | null

  @Column(() => DateTime, {
    nullable: true,
    day: 'BEGIN',
    description: 'When the work should begin; null if at any time.',
    example: null,
  })
  startDate!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description:
      'When the event `task.reminder` is emitted, within a minute, once for each time that is set; not for a task that is COMPLETED or CANCELLED by then. Null for no reminder.',
    example: '2026-11-05T14:00:00.000Z',
  })
  reminderAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the task was completed; null while it is not.',
    example: null,
  })
  completedAt!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Id of the user who completed the task; null while it is not completed, or if the platform completed it.',
    example: null,
    user: { field: 'completedBy', description: 'The user who completed the task; null if `completedById` is null.' },
  })
  completedById!: string | null

  @Column(() => Boolean, {
    indexed: true,
    writable: 'NEVER',
    description:
      'True for a task past its `dueDate` that is neither COMPLETED nor CANCELLED. Right after each change of the task; when the time passes, it becomes true within a minute, with the event `task.overdue`.',
    example: false,
  })
  isOverdue!: boolean

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the user who does the work, an active user who may change records; null without an assignee. The assignee sees the task, like its owner.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'assignedTo', description: 'The user who does the work; null without an assignee.' },
  })
  assignedToId!: string | null

  @Column(() => String, {
    nullable: true,
    max: 500,
    description:
      'Rule of RFC 5545 by which the task recurs from its `dueDate`, which it requires, in the time zone of its assignee, or of the organization if there is none or the assignee has set none: FREQ (DAILY, WEEKLY, MONTHLY or YEARLY) with INTERVAL, COUNT or UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST. Completing the task creates the next one, due at the first occurrence after its `dueDate` at the same local time, with `startDate` and `reminderAt` as many days later; COUNT is the number of tasks that are left, this one included. Null if it does not recur.',
    example: 'FREQ=MONTHLY;BYDAY=-1FR',
  })
  recurrenceRule!: string | null

  @NamesRecord('task')
  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Id of the next task of the series, which the completion of this one created, once; null before, and if it was the last one.',
    example: null,
  })
  nextTaskId!: string | null

  @NamesRecord('sequence_enrollment')
  @Column(() => ID, {
    nullable: true,
    writable: 'ON_CREATE',
    description: 'Id of the enrollment in a sequence that created the task; null if none did.',
    example: null,
  })
  sequenceEnrollmentId!: string | null

  @Column(() => TaskSource, {
    writable: 'ON_CREATE',
    default: 'MANUAL',
    description: 'What created the task. It never changes.',
    example: 'MANUAL',
  })
  source!: TaskSource

  /** When the reminder for the present `reminderAt` was emitted. */
  @Column(() => DateTime, { nullable: true, internal: true })
  remindedAt!: string | null
}
