import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

export const orderEntries: TimelineSource = {
  kind: 'ORDER',
  object: 'order',
  type: 'Order',
  at: ['createdAt'],
  columns: { title: 'orderNumber', type: null, status: 'status' },
  actor: ['createdById'],
}
