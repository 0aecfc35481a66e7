import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { isPastDue } from './task.decision.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

const batchSize = 200

type DueTask = Pick<Task, 'id' | 'organizationId'> & { dueDate: string }

/** Sets `isOverdue` of open tasks whose due date has passed, with the event `task.overdue`. */
export const taskOverdue: Job = {
  name: 'task.overdue',
  cron: '* * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    await eachInBatches(
      (after: DueTask | null) => dueTasks(services, now, after),
      ({ organizationId, id }) =>
        change(systemContext(services, organizationId), task, id, (previous) => ({
          operation: 'UPDATE',
          ...changeOf(previous, now),
        })),
    )
  },
}

/** Changes nothing if the task was changed after the query and is no longer past due. */
const changeOf = (previous: Task, now: string): Pick<Draft<Task>, 'values' | 'implied' | 'events'> =>
  previous.isOverdue || !isPastDue(previous, now)
    ? { values: {} }
    : { values: {}, implied: { isOverdue: true }, events: ['task.overdue'] }

function dueTasks({ database }: Services, now: string, after: DueTask | null): Promise<DueTask[]> {
  return database.query<DueTask>(
    `select organization_id as "organizationId", id, due_date as "dueDate" from crm.task
     where not is_overdue and deleted_at is null and due_date <= $1 and status not in ('COMPLETED', 'CANCELLED')
       and ($2::timestamptz is null or (due_date, id) > ($2, $3::uuid))
     order by due_date, id limit ${batchSize}`,
    [now, after?.dueDate ?? null, after?.id ?? null],
  )
}
