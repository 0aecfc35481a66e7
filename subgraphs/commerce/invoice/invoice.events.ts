import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Invoice } from './invoice.ts'

const statuses = { previousStatus: 'previous.status', status: 'record.status' } as const
const amounts = { ...statuses, amountPaid: 'record.amountPaid', amountDue: 'record.amountDue' } as const

const issued = {
  status: 'SENT',
  invoiceNumber: 'INV-2026-000123',
  issueDate: '2026-11-02T00:00:00.000Z',
  dueDate: '2026-12-02T00:00:00.000Z',
  sentAt: '2026-11-02T10:40:00.000Z',
  amountPaid: 0,
  amountDue: 5494.23,
} as const satisfies Partial<Invoice>

const payment = {
  id: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70',
  invoiceId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  amount: 1000,
  currency: 'EUR',
  method: 'BANK_TRANSFER',
  reference: 'SEPA 88213',
  paidAt: '2026-11-20T10:40:00.000Z',
  note: null,
  recordedById: null,
  status: 'SUCCEEDED',
  refundedAmount: 0,
} as const satisfies Invoice['payments'][number]

const partly: Partial<Invoice> = {
  ...issued,
  status: 'PARTIALLY_PAID',
  amountPaid: 1000,
  amountDue: 4494.23,
  payments: [payment],
}
const whole: Partial<Invoice> = {
  ...issued,
  status: 'PAID',
  amountPaid: 5494.23,
  amountDue: 0,
  payments: [{ ...payment, amount: 5494.23 }],
  paidAt: '2026-11-20T10:40:00.000Z',
}

export const invoiceEvents: RecordEvents<Invoice> = {
  sample: { amountPaid: 0, amountDue: 5494.23, invoiceNumber: null, issueDate: null, dueDate: null },
  types: {
    'invoice.created': {
      operation: 'CREATE',
      description: 'An invoice was created as a DRAFT; orderId is set if it is the invoice of an order.',
    },
    'invoice.updated': {
      operation: 'UPDATE',
      description:
        'An invoice was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { purchaseOrderNumber: null },
    },
    'invoice.deleted': { operation: 'DELETE', description: 'A DRAFT was deleted; it can be restored.' },
    'invoice.restored': { operation: 'RESTORE', description: 'A deleted DRAFT was restored.' },
    'invoice.sent': {
      operation: 'UPDATE',
      description: 'An invoice was issued: it got its number and was mailed to sentTo, unless that is null.',
      adds: { ...statuses, invoiceNumber: 'record.invoiceNumber', sentTo: 'record.sentTo' },
      sample: { ...issued, sentTo: 'ines.duarte@example.com' },
      before: { status: 'DRAFT', invoiceNumber: null, issueDate: null, dueDate: null, sentAt: null, sentTo: null },
    },
    'invoice.mail_failed': {
      operation: 'UPDATE',
      description: 'A mail with an invoice or a reminder was not delivered; mailFailure says why.',
      adds: { mailFailure: 'record.mailFailure' },
      sample: { ...issued, sentTo: 'ines.duarte@example.com', mailFailure: '550 5.1.1 No such user' },
      before: { mailFailure: null },
    },
    'invoice.viewed': {
      operation: 'UPDATE',
      description: 'The customer opened the public page of an invoice for the first time.',
      sample: { ...issued, viewedAt: '2026-11-03T08:15:00.000Z' },
      before: { viewedAt: null },
    },
    'invoice.partially_paid': {
      operation: 'UPDATE',
      description: 'A part of an invoice was paid.',
      adds: amounts,
      sample: partly,
      before: { status: 'SENT', amountPaid: 0, amountDue: 5494.23, payments: [] },
    },
    'invoice.paid': {
      operation: 'UPDATE',
      description: 'An invoice was paid completely.',
      adds: amounts,
      sample: whole,
      before: { status: 'SENT', amountPaid: 0, amountDue: 5494.23, payments: [], paidAt: null },
    },
    'invoice.overdue': {
      operation: 'UPDATE',
      description:
        'The due day of an open invoice passed in the time zone of the organization, or a refund opened an invoice again after that day.',
      adds: { ...statuses, dueDate: 'record.dueDate', amountDue: 'record.amountDue' },
      sample: { ...issued, status: 'OVERDUE', overdueAt: '2026-12-03T00:00:00.000Z' },
      before: { status: 'SENT', overdueAt: null },
    },
    'invoice.voided': {
      operation: 'UPDATE',
      description: 'An invoice was voided.',
      adds: { ...statuses, voidReason: 'record.voidReason' },
      sample: { ...issued, status: 'VOID', voidedAt: '2026-11-03T10:40:00.000Z', voidReason: 'Wrong customer.' },
      before: { status: 'SENT', voidedAt: null, voidReason: null },
    },
    'invoice.marked_uncollectible': {
      operation: 'UPDATE',
      description: 'An invoice became UNCOLLECTIBLE, by a user or by the dunning configuration.',
      adds: amounts,
      sample: { ...issued, status: 'UNCOLLECTIBLE', uncollectibleAt: '2027-04-01T10:40:00.000Z' },
      before: { status: 'OVERDUE', uncollectibleAt: null },
    },
    'invoice.reminder_sent': {
      operation: 'UPDATE',
      description: 'A reminder of an invoice was sent; dunningLevel is its level.',
      adds: {
        dunningLevel: 'record.dunningLevel',
        reminderCount: 'record.reminderCount',
        amountDue: 'record.amountDue',
        dunningFees: 'record.dunningFees',
      },
      sample: {
        ...issued,
        status: 'OVERDUE',
        dunningLevel: 1,
        reminderCount: 1,
        lastReminderAt: '2026-12-07T09:00:00.000Z',
      },
      before: { dunningLevel: 0, reminderCount: 0, lastReminderAt: null },
    },
    'payment.recorded': {
      operation: 'UPDATE',
      description: 'A payment of an invoice was recorded; it is the last one in payments of the record.',
      adds: amounts,
      sample: partly,
      before: { status: 'SENT', amountPaid: 0, amountDue: 5494.23, payments: [] },
    },
    'payment.refunded': {
      operation: 'UPDATE',
      description: 'A payment of an invoice was returned, wholly or in part; the refund is the last one in refunds.',
      adds: amounts,
      sample: {
        ...issued,
        payments: [{ ...payment, status: 'REFUNDED', refundedAmount: 1000 }],
        refunds: [
          {
            id: '019a0c5e-7f00-7e83-9a4d-2c7b6e8f1d95',
            paymentId: payment.id,
            amount: 1000,
            refundedAt: '2026-11-24T10:40:00.000Z',
            reason: 'Paid twice.',
            recordedById: null,
          },
        ],
      },
      before: { status: 'PARTIALLY_PAID', amountPaid: 1000, amountDue: 4494.23, payments: [payment], refunds: [] },
    },
  },
}
