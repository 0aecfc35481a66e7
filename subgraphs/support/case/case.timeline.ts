import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const caseEntries: TimelineSource = {
  kind: 'CASE',
  object: 'case',
  type: 'Case',
  at: ['createdAt'],
  columns: { title: 'subject', type: 'type', status: 'status' },
  actor: ['createdById'],
}
