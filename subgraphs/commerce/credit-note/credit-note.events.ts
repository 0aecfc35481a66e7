import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CreditNote } from './credit-note.ts'

const amounts = {
  status: 'record.status',
  amountApplied: 'record.amountApplied',
  amountRefunded: 'record.amountRefunded',
  amountLeft: 'record.amountLeft',
} as const

const issued = {
  status: 'ISSUED',
  creditNoteNumber: 'CN-2026-000007',
  issueDate: '2026-11-02T00:00:00.000Z',
  issuedAt: '2026-11-02T10:40:00.000Z',
  amountLeft: 5494.23,
} as const satisfies Partial<CreditNote>

const application = {
  id: '019a0c5e-7f00-7f52-8c1d-3b9a6e2d7f40',
  creditNoteId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  invoiceId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a42',
  amount: 100,
  appliedAt: '2026-11-20T10:40:00.000Z',
  reversedAt: null,
  recordedById: null,
} as const

const applied = { ...issued, applications: [application], amountApplied: 100, amountLeft: 5394.23 }

export const creditNoteEvents: RecordEvents<CreditNote> = {
  sample: { amountLeft: 0, creditNoteNumber: null, issueDate: null },
  types: {
    'credit_note.created': { operation: 'CREATE', description: 'A credit note was created as a DRAFT.' },
    'credit_note.updated': {
      operation: 'UPDATE',
      description:
        'A credit note was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { reason: null },
    },
    'credit_note.deleted': { operation: 'DELETE', description: 'A DRAFT was deleted; it can be restored.' },
    'credit_note.restored': { operation: 'RESTORE', description: 'A deleted DRAFT was restored.' },
    'credit_note.issued': {
      operation: 'UPDATE',
      description: 'A credit note was issued: it got its number, and the customer has the credit.',
      adds: { ...amounts, creditNoteNumber: 'record.creditNoteNumber' },
      sample: issued,
      before: { status: 'DRAFT', creditNoteNumber: null, issueDate: null, issuedAt: null, amountLeft: 0 },
    },
    'credit_note.applied': {
      operation: 'UPDATE',
      description: 'A credit note was applied to invoices; the new applications are the last ones in applications.',
      adds: amounts,
      sample: applied,
      before: { applications: [], amountApplied: 0, amountLeft: 5494.23 },
    },
    'credit_note.application_reversed': {
      operation: 'UPDATE',
      description: 'An application of a credit note to an invoice was reversed; its reversedAt is set.',
      adds: amounts,
      sample: { ...issued, applications: [{ ...application, reversedAt: '2026-11-21T10:40:00.000Z' }] },
      before: { applications: [application], amountApplied: 100, amountLeft: 5394.23 },
    },
    'credit_note.refunded': {
      operation: 'UPDATE',
      description: 'An amount of a credit note was paid to the customer; the refund is the last one in refunds.',
      adds: amounts,
      sample: {
        ...issued,
        refunds: [
          {
            id: '019a0c5e-7f00-7c63-9d2e-4cab7f3e8a51',
            amount: 50,
            method: 'BANK_TRANSFER',
            reference: 'SEPA 90011',
            refundedAt: '2026-11-24T10:40:00.000Z',
            note: null,
            recordedById: null,
          },
        ],
        amountRefunded: 50,
        amountLeft: 5444.23,
      },
      before: { refunds: [], amountRefunded: 0, amountLeft: 5494.23 },
    },
    'credit_note.voided': {
      operation: 'UPDATE',
      description: 'A credit note was voided.',
      adds: { ...amounts, voidReason: 'record.voidReason' },
      sample: { ...issued, amountLeft: 0, status: 'VOID', voidedAt: '2026-11-03T10:40:00.000Z', voidReason: 'Twice.' },
      before: { status: 'ISSUED', voidedAt: null, voidReason: null, amountLeft: 5494.23 },
    },
  },
}
