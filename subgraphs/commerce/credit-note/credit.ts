import type { Big } from 'big.js'
import { ID } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { decimalOf, sumOf } from '../../kernel/values/decimal.ts'
import { PaymentMethod } from '../invoice/invoice.enumerations.ts'
import { noteMax, paymentsMax, referenceMax } from '../invoice/invoice-payment.ts'

/** Maximum number of credits of one invoice, and of applications and refunds of one credit note. */
export const creditsMax = paymentsMax

const never = { writable: 'NEVER' } as const
const creditId = '019a0c5e-7f00-7f52-8c1d-3b9a6e2d7f40'
const noteId = '019a0c5e-7f00-7b11-9e4a-8d2c5f7a1e63'
const invoiceId = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

@Structure('InvoiceCredit', 'An amount of a credit note that was applied to an invoice, in the currency of both.')
export class InvoiceCredit {
  @Part(() => ID, { ...never, description: 'Id of the application.', example: creditId })
  id!: string

  @NamesRecord('credit_note')
  @Part(() => ID, { ...never, description: 'Id of the credit note.', example: noteId })
  creditNoteId!: string

  @NamesRecord('invoice')
  @Part(() => ID, { ...never, description: 'Id of the invoice.', example: invoiceId })
  invoiceId!: string

  @Part(() => Decimal, { ...never, description: 'Amount that was applied, above 0.', example: 100 })
  amount!: ExactNumber

  @Part(() => DateTime, { ...never, description: 'When it was applied.', example: '2026-11-20T10:40:00.000Z' })
  appliedAt!: string

  @Part(() => DateTime, {
    ...never,
    nullable: true,
    description: 'When the application was reversed: since then it does not count. Null while it counts.',
    example: null,
  })
  reversedAt!: string | null

  @NamesRecord('user')
  @Part(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the user who applied it; null if no user did.',
    example: null,
  })
  recordedById!: string | null
}

@Structure('CreditNoteRefund', 'An amount of a credit note that was paid to the customer.')
export class CreditNoteRefund {
  @Part(() => ID, {
    ...never,
    description: 'Id of the refund.',
    example: '019a0c5e-7f00-7c63-9d2e-4cab7f3e8a51',
  })
  id!: string

  @Part(() => Decimal, { ...never, description: 'Amount that was paid to the customer, above 0.', example: 50 })
  amount!: ExactNumber

  @Part(() => PaymentMethod, { ...never, description: 'How it was paid.', example: 'BANK_TRANSFER' })
  method!: PaymentMethod

  @Part(() => String, {
    ...never,
    nullable: true,
    max: referenceMax,
    description: 'Reference of the payment; null if none.',
    example: 'SEPA 90011',
  })
  reference!: string | null

  @Part(() => DateTime, { ...never, description: 'When it was paid.', example: '2026-11-24T10:40:00.000Z' })
  refundedAt!: string

  @Part(() => String, {
    ...never,
    nullable: true,
    max: noteMax,
    description: 'Note of the organization; null if none.',
    example: null,
  })
  note!: string | null

  @NamesRecord('user')
  @Part(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the user who recorded it; null if no user did.',
    example: null,
  })
  recordedById!: string | null
}

/** What the applications that were not reversed amount to. */
export const appliedOf = (credits: readonly InvoiceCredit[]): Big =>
  sumOf(credits.filter(({ reversedAt }) => reversedAt === null).map(({ amount }) => decimalOf(amount)))
