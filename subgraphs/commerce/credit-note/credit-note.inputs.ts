import { ID, InputType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField } from '../../kernel/record/declared-value.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { PaymentMethod } from '../invoice/invoice.enumerations.ts'
import { noteMax, referenceMax } from '../invoice/invoice-payment.ts'
import { creditNote } from './credit-note.record.ts'

export const creditNoteTypes = operationTypes(creditNote, 'INVOICES')

@InputType({ description: 'An amount of a credit note that is applied to an invoice.' })
export class CreditApplicationInput {
  @InputField(() => ID, {
    description: 'Id of an open invoice of the customer, in the currency of the credit note.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  invoiceId!: string

  @InputField(() => Decimal, {
    nullable: true,
    description:
      'Amount above 0, at most `amountDue` of the invoice and what is left of the credit note; null: as much as both allow.',
    example: 100,
  })
  amount?: ExactNumber | null
}

@InputType({ description: 'A refund of what is left of a credit note.' })
export class CreditNoteRefundRecordInput {
  @InputField(() => Decimal, {
    nullable: true,
    description: 'Amount that is paid to the customer, above 0 and at most `amountLeft`; null: all that is left.',
    example: 50,
  })
  amount?: ExactNumber | null

  @InputField(() => PaymentMethod, {
    default: 'BANK_TRANSFER',
    description: 'How it is paid.',
    example: 'BANK_TRANSFER',
  })
  method!: PaymentMethod

  @InputField(() => String, {
    nullable: true,
    max: referenceMax,
    description: 'Reference of the payment; null if none.',
    example: 'SEPA 90011',
  })
  reference?: string | null

  @InputField(() => DateTime, {
    nullable: true,
    day: 'BEGIN',
    description:
      'When it was paid: not in the future, not before the credit note was issued, and on a day since which the amount has been left of it; null: now.',
    example: null,
  })
  refundedAt?: string | null

  @InputField(() => String, {
    nullable: true,
    max: noteMax,
    description: 'Note of the organization; null if none.',
    example: null,
  })
  note?: string | null
}
