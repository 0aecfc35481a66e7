import { visibleAccounts, visibleContacts } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { changedNames } from '../../kernel/record/changed-names.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { sentLines } from '../line-item/document-amounts.ts'
import { calculatedCreditNote, creditNoteProblems } from './credit-note.amounts.ts'
import { creditNoteEvents } from './credit-note.events.ts'
import { creditNoteStates, requireDeletable, requireEditable } from './credit-note.states.ts'
import { CreditNote } from './credit-note.ts'
import { valuesOfInvoice } from './values-of-invoice.ts'

export const creditNote: RecordDefinition<CreditNote> = defineRecord(CreditNote, {
  object: 'credit_note',
  table: 'commerce.credit_note',
  visibleBy: ['ownerId'],
  searchable: ['creditNoteNumber', 'reason'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    customerId: visibleAccounts,
    contactId: visibleContacts,
    invoiceId: (ctx, ids) => visibleIds(ctx, invoice, ids),
  },
  names: { contactId: 'contact' },
  relations: {
    account: {
      to: recordType('account'),
      by: 'customerId',
      description:
        'Conditions on the customer. A credit note without a customer that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    invoice: {
      to: () => invoice,
      by: 'invoiceId',
      description:
        'Conditions on the invoice that is credited. A credit note without an invoice that the caller sees does not match. Needs READ_INVOICES.',
    },
  },
  totals: {
    by: ['status', 'currency'],
    measures: {
      total: { sum: 'total' },
      amountApplied: { sum: 'amountApplied' },
      amountRefunded: { sum: 'amountRefunded' },
      amountLeft: { sum: 'amountLeft' },
    },
  },
  amounts: {
    columns: [
      'subtotal',
      'discountTotal',
      'taxTotal',
      'shippingTotal',
      'total',
      'amountApplied',
      'amountRefunded',
      'amountLeft',
    ],
    currency: 'currency',
    ratedOn: 'issueDate',
  },
  events: creditNoteEvents,
  states: creditNoteStates,
  async decide(ctx, values, previous) {
    if (previous) await requireEditable(ctx, previous, changedNames(creditNote, previous, values))
    const ofInvoice = await valuesOfInvoice(ctx, values, previous)
    const lines = await sentLines(ctx, { ...values, ...ofInvoice }, previous)
    return { implied: { ...ofInvoice, ...lines } }
  },
  calculated: calculatedCreditNote,
  invariants: creditNoteProblems,
  async checks(ctx, next, previous) {
    if (previous && next.deletedAt !== null && previous.deletedAt === null) await requireDeletable(ctx, previous)
    return []
  },
})
