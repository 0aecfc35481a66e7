import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { PaymentMethod, PaymentStatus } from '../invoice/invoice.enumerations.ts'
import { noteMax, referenceMax } from '../invoice/invoice-payment.ts'

export const PaymentType = enumeration('PaymentType', 'In which direction money moved.', {
  PAYMENT: 'It was received from the customer.',
  REFUND: 'It was returned to the customer.',
})
export type PaymentType = keyof typeof PaymentType

const never = { writable: 'NEVER' } as const
const invoiceExample = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

@ObjectType({
  description:
    'Money that moved between a customer and the organization: a payment of an invoice, or a refund. It is one entry of `payments` or `refunds` of its invoice, or of `refunds` of its credit note, whose operations record it, and it is visible with them.',
})
@Directive('@key(fields: "id")')
@RequiresScope('INVOICES')
@Entity({ schema: 'commerce', tableName: 'payment' })
export class Payment {
  @Column(() => ID, {
    ...never,
    description: 'Id of the payment or refund, as in the invoice.',
    example: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70',
  })
  id!: string

  @Column(() => ID, {
    ...never,
    description: 'Id of the organization to which the payment belongs.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    hiddenWith: ['invoice.ownerId', 'credit_note.ownerId'],
    description: 'Id of the user who owns the invoice or credit note; null if it has no owner.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'owner', description: 'The user who owns the invoice or credit note; null if `ownerId` is null.' },
  })
  ownerId!: string | null

  @Column(() => PaymentType, {
    ...never,
    indexed: true,
    description: 'In which direction money moved; `amount` is above 0 in both.',
    example: 'PAYMENT',
  })
  type!: PaymentType

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'Id of the invoice; null in a refund of a credit note.',
    example: invoiceExample,
  })
  invoiceId!: string | null

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'Id of the credit note that was refunded; null in payments of invoices and their refunds.',
    example: null,
  })
  creditNoteId!: string | null

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    hiddenWith: ['invoice.customerId', 'credit_note.customerId'],
    description: 'Id of the account that paid or was paid; null if none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'Id of the payment of which this is a refund; null in a PAYMENT and in a refund of a credit note.',
    example: null,
  })
  refundedPaymentId!: string | null

  @Column(() => Decimal, { ...never, indexed: true, description: 'Amount that moved, above 0.', example: 1000 })
  amount!: ExactNumber

  @Column(() => String, {
    ...never,
    indexed: true,
    max: 3,
    description: 'Currency of the amount as ISO 4217 code, that of the invoice or credit note.',
    example: 'EUR',
  })
  currency!: string

  @Column(() => PaymentMethod, {
    ...never,
    indexed: true,
    description: 'How it was paid; that of the payment in a REFUND.',
    example: 'BANK_TRANSFER',
  })
  method!: PaymentMethod

  @Column(() => String, {
    ...never,
    indexed: true,
    nullable: true,
    max: referenceMax,
    description:
      'Reference of the payment, such as the number of the transfer; null if none, and in a refund of a payment.',
    example: 'SEPA 88213',
  })
  reference!: string | null

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    indexedByDay: true,
    description: 'When the amount was received or returned.',
    example: '2026-11-20T10:40:00.000Z',
  })
  paidAt!: string

  @Column(() => String, {
    ...never,
    nullable: true,
    max: noteMax,
    description: 'Note of the organization, or why the amount was returned; null if none.',
    example: null,
  })
  note!: string | null

  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the user who recorded it; null if the customer paid on the public page.',
    example: null,
    user: { field: 'recordedBy', description: 'The user who recorded it; null if `recordedById` is null.' },
  })
  recordedById!: string | null

  @Column(() => PaymentStatus, {
    ...never,
    indexed: true,
    description: 'Whether it counts; REFUNDED when the whole amount of a PAYMENT was returned.',
    example: 'SUCCEEDED',
  })
  status!: PaymentStatus

  @Column(() => Decimal, {
    ...never,
    indexed: true,
    description: 'How much of the amount was returned; 0 in a REFUND.',
    example: 0,
  })
  refundedAmount!: ExactNumber

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    description: 'When it was recorded.',
    example: '2026-11-20T10:40:00.000Z',
  })
  createdAt!: string

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    description: 'When it last changed, such as by a refund; at first the time of its creation.',
    example: '2026-11-20T10:40:00.000Z',
  })
  updatedAt!: string
}
