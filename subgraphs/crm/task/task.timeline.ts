import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const taskEntries: TimelineSource = {
  kind: 'TASK',
  object: 'task',
  type: 'Task',
  at: ['completedAt', 'createdAt'],
  columns: { title: 'subject', type: 'type', status: 'status' },
  actor: ['completedById', 'createdById'],
}
