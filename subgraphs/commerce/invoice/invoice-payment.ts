import { ID } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { PaymentMethod, PaymentStatus } from './invoice.enumerations.ts'

/** Maximum number of payments, and of refunds, of one invoice. */
export const paymentsMax = 200
export const referenceMax = 255
export const noteMax = 2000

const paymentId = '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70'

@Structure('InvoicePayment', 'A payment of an invoice, in the currency of the invoice.')
export class InvoicePayment {
  @Part(() => ID, { writable: 'NEVER', description: 'Id of the payment.', example: paymentId })
  id!: string

  @NamesRecord('invoice')
  @Part(() => ID, {
    writable: 'NEVER',
    description: 'Id of the invoice.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  invoiceId!: string

  @Part(() => Decimal, { writable: 'NEVER', description: 'Amount that was received, above 0.', example: 1000 })
  amount!: ExactNumber

  @Part(() => String, {
    writable: 'NEVER',
    max: 3,
    description: 'Currency of the amount as ISO 4217 code, that of the invoice.',
    example: 'EUR',
  })
  currency!: string

  @Part(() => PaymentMethod, { writable: 'NEVER', description: 'How it was paid.', example: 'BANK_TRANSFER' })
  method!: PaymentMethod

  @Part(() => String, {
    writable: 'NEVER',
    nullable: true,
    max: referenceMax,
    description: 'Reference of the payment, such as the number of the transfer; null if none.',
    example: 'SEPA 88213',
  })
  reference!: string | null

  @Part(() => DateTime, {
    writable: 'NEVER',
    description: 'When it was received.',
    example: '2026-11-20T10:40:00.000Z',
  })
  paidAt!: string

  @Part(() => String, {
    writable: 'NEVER',
    nullable: true,
    max: noteMax,
    description: 'Note of the organization; null if none.',
    example: null,
  })
  note!: string | null

  @NamesRecord('user')
  @Part(() => ID, {
    writable: 'NEVER',
    nullable: true,
    description: 'Id of the user who recorded it; null if the customer paid on the public page.',
    example: null,
  })
  recordedById!: string | null

  @Part(() => PaymentStatus, { writable: 'NEVER', description: 'Whether it counts.', example: 'SUCCEEDED' })
  status!: PaymentStatus

  @Part(() => Decimal, {
    writable: 'NEVER',
    default: 0,
    description: 'How much of the amount was returned.',
    example: 0,
  })
  refundedAmount!: ExactNumber
}

@Structure('InvoiceRefund', 'An amount of a payment that was returned to the customer.')
export class InvoiceRefund {
  @Part(() => ID, {
    writable: 'NEVER',
    description: 'Id of the refund.',
    example: '019a0c5e-7f00-7e83-9a4d-2c7b6e8f1d95',
  })
  id!: string

  @NamesRecord('payment')
  @Part(() => ID, { writable: 'NEVER', description: 'Id of the payment.', example: paymentId })
  paymentId!: string

  @Part(() => Decimal, { writable: 'NEVER', description: 'Amount that was returned, above 0.', example: 100 })
  amount!: ExactNumber

  @Part(() => DateTime, {
    writable: 'NEVER',
    description: 'When it was returned.',
    example: '2026-11-24T10:40:00.000Z',
  })
  refundedAt!: string

  @Part(() => String, {
    writable: 'NEVER',
    nullable: true,
    max: noteMax,
    description: 'Why it was returned; null without a reason.',
    example: null,
  })
  reason!: string | null

  @NamesRecord('user')
  @Part(() => ID, {
    writable: 'NEVER',
    nullable: true,
    description: 'Id of the user who recorded it; null if no user did.',
    example: null,
  })
  recordedById!: string | null
}
