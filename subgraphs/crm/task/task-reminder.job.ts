import { dueRecords } from '../../identity/public.ts'
import { isOpen } from './task.decision.ts'
import { task } from './task.record.ts'

/** Emits `task.reminder` for open tasks whose time has come, once for each time that is set. */
export const taskReminder = dueRecords(task, {
  name: 'task.reminder',
  cron: '* * * * *',
  by: 'reminderAt',
  of: `reminded_at is null and status not in ('COMPLETED', 'CANCELLED')`,
  decide({ status, reminderAt, remindedAt }, now) {
    const isDue = isOpen(status) && reminderAt !== null && reminderAt <= now && remindedAt === null
    return isDue ? { implied: { remindedAt: now }, events: ['task.reminder'] } : null
  },
})
