import { Resolver } from 'type-graphql'
import { restArea, updatedAfter } from '../../../subgraphs/kernel/record/rest-area.ts'
import { standardResolver } from '../../../subgraphs/kernel/record/standard-resolver.ts'
import type { Resource } from '../../../subgraphs/kernel/subgraph/subgraph.ts'
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
}) {
  // The verbs of the type and the fields that are edges to other records.
}

export const taskResource: Resource = {
  resolver: TaskResolver,
  entities: { Task: task },
  migrations: [taskTable],
  rest: restArea(task, { path: 'tasks', filters: ['status', 'accountId', updatedAfter] }),
}
