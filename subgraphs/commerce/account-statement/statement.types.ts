import { ID, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { AgingBucket } from '../invoice-aging/aging.types.ts'

/** Entries that a statement has at most. */
export const entriesMax = 1000

export const StatementEntryType = enumeration('StatementEntryType', 'What changed the balance of a customer.', {
  INVOICE: 'An invoice was issued.',
  CREDIT_NOTE: 'A credit note was issued.',
  VOID: 'An invoice or a credit note was voided.',
  PAYMENT: 'The customer paid.',
  REFUND: 'A payment was returned to the customer, or what is left of a credit note was paid.',
})
export type StatementEntryType = keyof typeof StatementEntryType

const amount = (description: string, example: number) => ({ description, example })
const recordId = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

@ObjectType({ description: 'One change of the balance of a customer.' })
@RequiresScope('INVOICES')
export class StatementEntry {
  @OutputField(() => DateTime, {
    description:
      'The day as midnight UTC: that of the invoice or credit note, or on which it was voided or money moved in the time zone of the organization.',
    example: '2026-11-02T00:00:00.000Z',
  })
  date!: string

  @OutputField(() => StatementEntryType, { description: 'What changed the balance.', example: 'INVOICE' })
  type!: StatementEntryType

  @OutputField(() => ID, { description: 'Id of the invoice, credit note, payment or refund.', example: recordId })
  id!: string

  @NamesRecord('invoice')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the invoice; null for a credit note and its refunds.',
    example: recordId,
  })
  invoiceId!: string | null

  @NamesRecord('credit_note')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the credit note; null for an invoice, its payments and their refunds.',
    example: null,
  })
  creditNoteId!: string | null

  @OutputField(() => String, { description: 'Number of the invoice or credit note.', example: 'INV-2026-000123' })
  number!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Reference of the payment or refund; null if none, and for other entries.',
    example: null,
  })
  reference!: string | null

  @OutputField(
    () => Decimal,
    amount(
      'What it added to the balance: above 0 for an invoice, a refund and a voided credit note, below 0 for a payment, a credit note and a voided invoice.',
      5494.23,
    ),
  )
  amount!: ExactNumber

  @OutputField(() => Decimal, amount('The balance after it.', 5494.23))
  balance!: ExactNumber
}

@ObjectType({
  description:
    'What a customer owed in one currency at the beginning and at the end of a period, and what changed it in between. It consists of the invoices and credit notes that the caller sees: issued ones, also those that were voided later, with all payments and refunds. Applying a credit note to an invoice changes no balance.',
})
@RequiresScope('INVOICES')
export class AccountStatement {
  @NamesRecord('account')
  @OutputField(() => ID, { description: 'Id of the account.', example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26' })
  accountId!: string

  @OutputField(() => String, { description: 'ISO 4217 code of the currency of all amounts.', example: 'EUR' })
  currency!: string

  @OutputField(() => DateTime, { description: 'First day, as midnight UTC.', example: '2026-11-01T00:00:00.000Z' })
  from!: string

  @OutputField(() => DateTime, { description: 'Last day, as midnight UTC.', example: '2026-11-30T00:00:00.000Z' })
  to!: string

  @OutputField(
    () => Decimal,
    amount('What the customer owed before the first day; below 0 if they had paid too much.', 0),
  )
  openingBalance!: ExactNumber

  @OutputField(() => StatementEntry, {
    list: true,
    maxItems: entriesMax,
    description: `The changes by day, of a day invoices and credit notes first, then money that moved, then what was voided; at most ${entriesMax}.`,
  })
  entries!: StatementEntry[]

  @OutputField(() => Decimal, amount('Sum of the invoices of the period.', 5494.23))
  totalInvoiced!: ExactNumber

  @OutputField(() => Decimal, amount('Sum of the credit notes of the period.', 0))
  totalCredited!: ExactNumber

  @OutputField(
    () => Decimal,
    amount('Sum of the invoices that were voided in the period, less that of the credit notes that were.', 0),
  )
  totalVoided!: ExactNumber

  @OutputField(() => Decimal, amount('Sum of the payments of the period.', 0))
  totalPaid!: ExactNumber

  @OutputField(() => Decimal, amount('Sum of the refunds of the period.', 0))
  totalRefunded!: ExactNumber

  @OutputField(
    () => Decimal,
    amount(
      'What the customer owed at the end of the last day: `openingBalance` + `totalInvoiced` - `totalCredited` - `totalVoided` - `totalPaid` + `totalRefunded`, also of UNCOLLECTIBLE invoices.',
      5494.23,
    ),
  )
  closingBalance!: ExactNumber

  @OutputField(() => AgingBucket, {
    list: true,
    description:
      'The open invoices at the end of the last day by the days since their due day. Their sum differs from `closingBalance` by what was paid too much, by what is left of credit notes and by UNCOLLECTIBLE invoices.',
  })
  aging!: AgingBucket[]

  @OutputField(() => String, {
    description: 'Path of the PDF of the statement on this server, for requests with the same credentials.',
    example:
      '/v1/accounts/019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26/statement/document?from=2026-11-01&to=2026-11-30&currency=EUR',
  })
  documentUrl!: string
}
