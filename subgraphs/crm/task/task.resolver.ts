import { Ctx, Mutation, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { reopenTask } from './task.actions.ts'
import { taskTypes } from './task.inputs.ts'
import { taskClock, taskDays, taskTable, taskTurns } from './task.migrations.ts'
import { task } from './task.record.ts'
import { taskOverdue } from './task-overdue.job.ts'
import { taskReminder } from './task-reminder.job.ts'
import { TaskStats, taskStats } from './task.stats.ts'
import { Task } from './task.ts'
import { taskEntries } from './task.timeline.ts'

const tasks = recordsOf(task)

@Resolver(() => Task)
export class TaskResolver extends standardResolver(task, {
  scope: 'TASKS',
  types: taskTypes,
  stats: { type: TaskStats, read: taskStats },
}) {
  @Mutation(() => Task, {
    description:
      'Completes the task as the caller, with the status COMPLETED. A completed task is returned unchanged. If the task recurs, the next one of its series is created in the same transaction.',
  })
  @RequiresScope('TASKS')
  taskComplete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return tasks.update(ctx, id, { status: 'COMPLETED' }, expectedVersion)
  }

  @Mutation(() => Task, {
    description:
      'Sets a task that is COMPLETED or CANCELLED to NOT_STARTED. An open task is returned unchanged. The next task of a series stays.',
  })
  @RequiresScope('TASKS')
  taskReopen(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return reopenTask(ctx, id, expectedVersion)
  }
}

export const taskResource: Resource = {
  resolver: TaskResolver,
  entities: { Task: task },
  timeline: [taskEntries],
  migrations: [taskTable, taskClock, taskDays, taskTurns],
  jobs: [taskOverdue, taskReminder],
  rest: restArea(task, {
    path: 'tasks',
    filters: [
      'status',
      'type',
      'priority',
      'isOverdue',
      'ownerId',
      'assignedToId',
      'relatedToId',
      'accountId',
      'contactId',
      'leadId',
      'opportunityId',
      'caseId',
      'externalId',
      { name: 'dueAfter', column: 'dueDate', operator: 'gte' },
      { name: 'dueBefore', column: 'dueDate', operator: 'lt' },
      createdAfter,
      updatedAfter,
    ],
  }),
}
