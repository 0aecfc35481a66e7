import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Quote } from './quote.ts'

const sentAt = '2026-11-03T09:00:00.000Z'
const viewedAt = '2026-11-03T10:12:00.000Z'
const answeredAt = '2026-11-05T14:30:00.000Z'
const onPage = {
  method: 'PUBLIC_PAGE',
  contactId: null,
  email: null,
  note: null,
  recordedAt: answeredAt,
  recordedById: null,
} as const
const onPhone = { ...onPage, method: 'PHONE', recordedById: '019a0c5e-7f00-7c66-8f21-0b6d4e8a2c13' } as const

export const quoteEvents: RecordEvents<Quote> = {
  types: {
    'quote.created': { operation: 'CREATE', description: 'A quote was created, or revised: then revisionOfId is set.' },
    'quote.updated': {
      operation: 'UPDATE',
      description:
        'A quote was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { name: 'Dock scheduling', paymentTerms: 'NET_15' },
    },
    'quote.deleted': { operation: 'DELETE', description: 'A quote was deleted; it can be restored.' },
    'quote.restored': { operation: 'RESTORE', description: 'A deleted quote was restored.' },
    'quote.sent': {
      operation: 'UPDATE',
      description: 'A quote was sent to the customer for the first time.',
      sample: { status: 'SENT', sentAt },
      before: { status: 'DRAFT', sentAt: null },
    },
    'quote.mail_failed': {
      operation: 'UPDATE',
      description: 'A mail with the link to a quote was not delivered; mailFailure says why.',
      adds: { mailFailure: 'record.mailFailure' },
      sample: { status: 'SENT', sentAt, mailFailure: '550 5.1.1 No such user' },
      before: { mailFailure: null },
    },
    'quote.viewed': {
      operation: 'UPDATE',
      description: 'The page of a quote was opened for the first time.',
      sample: { status: 'SENT', sentAt, viewedAt },
      before: { viewedAt: null },
    },
    'quote.accepted': {
      operation: 'UPDATE',
      description:
        'The customer accepted a quote, on its public page or in another way that a user recorded; `decision` says how.',
      adds: { acceptedByName: 'record.acceptedByName' },
      sample: {
        status: 'ACCEPTED',
        sentAt,
        viewedAt,
        acceptedAt: answeredAt,
        acceptedByName: 'Ines Duarte',
        decision: onPhone,
      },
      before: { status: 'SENT', acceptedAt: null, acceptedByName: null, decision: null },
    },
    'quote.rejected': {
      operation: 'UPDATE',
      description:
        'The customer rejected a quote, on its public page or in another way that a user recorded; `decision` says how.',
      adds: { rejectionReason: 'record.rejectionReason' },
      sample: {
        status: 'REJECTED',
        sentAt,
        viewedAt,
        rejectedAt: answeredAt,
        rejectionReason: 'Budget was cut.',
        decision: onPage,
      },
      before: { status: 'SENT', rejectedAt: null, rejectionReason: null, decision: null },
    },
    'quote.expired': {
      operation: 'UPDATE',
      description: 'validUntil of a sent quote passed without an answer of the customer.',
      adds: { validUntil: 'record.validUntil' },
      sample: { status: 'EXPIRED', sentAt, expiredAt: '2026-12-31T23:00:00.000Z' },
      before: { status: 'SENT', expiredAt: null },
    },
    'quote.converted': {
      operation: 'UPDATE',
      description: 'An accepted quote became an order.',
      adds: { orderId: 'record.orderId' },
      sample: {
        status: 'CONVERTED',
        sentAt,
        viewedAt,
        acceptedAt: answeredAt,
        acceptedByName: 'Ines Duarte',
        decision: onPhone,
        orderId: '019a0c5e-7f00-7f22-8d4e-1c3b5a7f9e02',
      },
      before: { status: 'ACCEPTED', orderId: null },
    },
  },
}
