import { Resolver } from 'type-graphql'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { taskTypes } from './task.inputs.ts'
import { taskTable } from './task.migrations.ts'
import { task } from './task.record.ts'
import { TaskStats, taskStats } from './task.stats.ts'
import { Task } from './task.ts'

@Resolver(() => Task)
export class TaskResolver extends standardResolver(task, {
  scope: 'TASKS',
  types: taskTypes,
  stats: { type: TaskStats, read: taskStats },
}) {}

export const taskResource: Resource = {
  resolver: TaskResolver,
  entities: { Task: task },
  migrations: [taskTable],
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
