import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { isOpen } from './task.decision.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

const batchSize = 200

type DueTask = Pick<Task, 'id' | 'organizationId'> & { reminderAt: string }

/** Emits `task.reminder` for open tasks whose time has come, once for each time that is set. */
export const taskReminder: Job = {
  name: 'task.reminder',
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

/** Changes nothing if the task was changed after the query and there is nothing to remind of. */
function changeOf(
  { status, reminderAt, remindedAt }: Task,
  now: string,
): Pick<Draft<Task>, 'values' | 'implied' | 'events'> {
  const isDue = isOpen(status) && reminderAt !== null && reminderAt <= now && remindedAt === null
  return isDue ? { values: {}, implied: { remindedAt: now }, events: ['task.reminder'] } : { values: {} }
}

function dueTasks({ database }: Services, now: string, after: DueTask | null): Promise<DueTask[]> {
  return database.query<DueTask>(
    `select organization_id as "organizationId", id, reminder_at as "reminderAt" from crm.task
     where reminded_at is null and deleted_at is null and reminder_at <= $1 and status not in ('COMPLETED', 'CANCELLED')
       and ($2::timestamptz is null or (reminder_at, id) > ($2, $3::uuid))
     order by reminder_at, id limit ${batchSize}`,
    [now, after?.reminderAt ?? null, after?.id ?? null],
  )
}
