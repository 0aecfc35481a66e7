import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const activityEntries: TimelineSource = {
  kind: 'ACTIVITY',
  object: 'activity',
  type: 'Activity',
  at: ['occurredAt'],
  columns: { title: 'subject', type: 'type', status: 'outcome' },
  actor: ['actorId'],
}
