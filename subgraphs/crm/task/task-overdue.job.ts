import { dueRecords } from '../../identity/public.ts'
import { isPastDue } from './task.decision.ts'
import { task } from './task.record.ts'

/** Sets `isOverdue` of open tasks whose due date has passed, with the event `task.overdue`. */
export const taskOverdue = dueRecords(task, {
  name: 'task.overdue',
  cron: '* * * * *',
  by: 'dueDate',
  of: `not is_overdue and status not in ('COMPLETED', 'CANCELLED')`,
  decide: (previous, now) =>
    previous.isOverdue || !isPastDue(previous, now) ? null : { implied: { isOverdue: true }, events: ['task.overdue'] },
})
