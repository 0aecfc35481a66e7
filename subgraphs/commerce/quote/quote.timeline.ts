import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const quoteEntries: TimelineSource = {
  kind: 'QUOTE',
  object: 'quote',
  type: 'Quote',
  at: ['createdAt'],
  columns: { title: 'name', type: null, status: 'status' },
  actor: ['createdById'],
}
