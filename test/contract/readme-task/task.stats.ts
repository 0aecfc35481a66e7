import { Int, ObjectType } from 'type-graphql'
import { count } from '../../../subgraphs/kernel/record/aggregates.ts'
import { OutputField } from '../../../subgraphs/kernel/record/declared-value.ts'
import type { FilterInput } from '../../../subgraphs/kernel/record/filter-input.ts'
import { RequiresScope } from '../../../subgraphs/kernel/record/requires-scope.ts'
import { figures } from '../../../subgraphs/kernel/record/stats.ts'
import type { RequestContext } from '../../../subgraphs/kernel/request.ts'
import { task } from './task.record.ts'

@ObjectType({ description: 'Statistics of the live tasks that the caller sees.' })
@RequiresScope('TASKS')
export class TaskStats {
  @OutputField(() => Int, { description: 'Number of tasks.', example: 40 })
  total!: number

  @OutputField(() => Int, { description: 'Number of tasks with the status OPEN.', example: 12 })
  open!: number
}

export const taskStats = (ctx: RequestContext, filter: FilterInput | null): Promise<TaskStats> =>
  figures(ctx, task, { total: count(), open: count({ status: 'OPEN' }) }, filter) as Promise<TaskStats>
