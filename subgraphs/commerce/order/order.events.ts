import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Order } from './order.ts'

const statuses = { previousStatus: 'previous.status', status: 'record.status' } as const

export const orderEvents: RecordEvents<Order> = {
  types: {
    'order.created': {
      operation: 'CREATE',
      description: 'An order was created; quoteId is set if a quote became the order.',
    },
    'order.updated': {
      operation: 'UPDATE',
      description:
        'An order was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { purchaseOrderNumber: null },
    },
    'order.deleted': { operation: 'DELETE', description: 'An order was deleted; it can be restored.' },
    'order.restored': { operation: 'RESTORE', description: 'A deleted order was restored.' },
    'order.confirmed': {
      operation: 'UPDATE',
      description: 'An order was confirmed; its lines are frozen.',
      adds: statuses,
      sample: { status: 'CONFIRMED', confirmedAt: '2026-11-02T10:40:00.000Z' },
      before: { status: 'DRAFT', confirmedAt: null },
    },
    'order.partially_fulfilled': {
      operation: 'UPDATE',
      description: 'Some quantities of an order were delivered, and others are open.',
      adds: statuses,
      sample: { status: 'PARTIALLY_FULFILLED' },
      before: { status: 'PROCESSING' },
    },
    'order.fulfilled': {
      operation: 'UPDATE',
      description: 'The last quantities of an order were delivered.',
      adds: statuses,
      sample: { status: 'FULFILLED', fulfilledAt: '2026-11-20T10:40:00.000Z' },
      before: { status: 'PROCESSING', fulfilledAt: null },
    },
    'order.cancelled': {
      operation: 'UPDATE',
      description: 'An order was cancelled before anything was delivered.',
      adds: statuses,
      sample: { status: 'CANCELLED', cancelledAt: '2026-11-03T10:40:00.000Z', cancelReason: 'Ordered twice.' },
      before: { status: 'CONFIRMED', cancelledAt: null, cancelReason: null },
    },
    'order.returned': {
      operation: 'UPDATE',
      description: 'The customer returned a fulfilled order.',
      adds: statuses,
      sample: { status: 'RETURNED', returnedAt: '2026-12-01T10:40:00.000Z', returnReason: 'Wrong size.' },
      before: { status: 'FULFILLED', returnedAt: null, returnReason: null },
    },
  },
}
