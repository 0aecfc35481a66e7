import { Field, Int, ObjectType } from 'type-graphql'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import type { Condition } from '../../kernel/record/addend.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { TaskPriority, TaskStatus, TaskType } from './task.enumerations.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

const TaskTypeCounts = valueCounts(TaskType, 'TASKS', 'tasks')
const TaskStatusCounts = valueCounts(TaskStatus, 'TASKS', 'tasks')
const TaskPriorityCounts = valueCounts(TaskPriority, 'TASKS', 'tasks')

@ObjectType({ description: 'Statistics of the live tasks that the caller sees.' })
@RequiresScope('TASKS')
export class TaskStats {
  @Field(() => Int, { description: 'Number of tasks.' })
  total!: number

  @Field(() => Int, { description: 'Number of tasks that are neither COMPLETED nor CANCELLED.' })
  open!: number

  @Field(() => Int, { description: 'Number of tasks with `isOverdue` true.' })
  overdue!: number

  @Field(() => Int, {
    nullable: true,
    description: 'Number of open tasks without an assignee. Null if the profile hides `assignedToId`.',
  })
  unassigned!: number | null

  @Field(() => TaskStatusCounts, { description: 'Number of tasks by `status`.' })
  byStatus!: Counts

  @Field(() => TaskPriorityCounts, { description: 'Number of tasks by `priority`.' })
  byPriority!: Counts

  @Field(() => TaskTypeCounts, { description: 'Number of tasks by `type`.' })
  byType!: Counts
}

export async function taskStats(ctx: RequestContext, filter: FilterInput | null): Promise<TaskStats> {
  const open: Condition<Task> = { status: { notIn: ['COMPLETED', 'CANCELLED'] } }
  return (await figures(
    ctx,
    task,
    {
      total: count(),
      open: count(open),
      overdue: count({ isOverdue: true }),
      unassigned: count({ ...open, assignedToId: { isNull: true } }),
      byStatus: countBy('status'),
      byPriority: countBy('priority'),
      byType: countBy('type'),
    },
    filter,
  )) as TaskStats
}
