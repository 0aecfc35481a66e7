import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Task } from './task.ts'

export const taskEvents: RecordEvents<Task> = {
  types: {
    'task.created': { operation: 'CREATE', description: 'A task was created.' },
    'task.updated': {
      operation: 'UPDATE',
      description:
        'A task was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { priority: 'MEDIUM', tags: [] },
    },
    'task.deleted': { operation: 'DELETE', description: 'A task was deleted; it can be restored.' },
    'task.restored': { operation: 'RESTORE', description: 'A deleted task was restored.' },
    'task.assigned': {
      operation: 'UPDATE',
      description: 'The assignee of a task changed or was removed.',
      adds: { previousAssignedToId: 'previous.assignedToId', assignedToId: 'record.assignedToId' },
      before: { assignedToId: null },
    },
    'task.completed': {
      operation: 'UPDATE',
      description: 'A task was completed.',
      adds: { previousStatus: 'previous.status', completedAt: 'record.completedAt' },
      sample: {
        status: 'COMPLETED',
        completedAt: '2026-11-05T14:10:00.000Z',
        completedById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
      },
    },
    'task.reopened': {
      operation: 'UPDATE',
      description: 'A task that was COMPLETED or CANCELLED is to be done again.',
      adds: { previousStatus: 'previous.status', status: 'record.status' },
      before: {
        status: 'COMPLETED',
        completedAt: '2026-11-05T14:10:00.000Z',
        completedById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
      },
    },
    'task.overdue': {
      operation: 'UPDATE',
      description:
        'A task passed its dueDate without being completed, or a change of an existing task made it overdue: isOverdue became true.',
      adds: { dueDate: 'record.dueDate' },
      sample: { isOverdue: true },
      before: { isOverdue: false },
    },
    'task.reminder': {
      operation: 'UPDATE',
      description: 'The reminderAt of an open task was reached. Emitted once for each time that was set.',
      adds: { reminderAt: 'record.reminderAt' },
    },
  },
}
