import { Field, ID, InputType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Day } from '../../kernel/record/declared-class.ts'
import { dayMeaning } from '../../kernel/record/describe.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { PaymentMethod } from './invoice.enumerations.ts'
import { invoice } from './invoice.record.ts'

export const invoiceTypes = operationTypes(invoice, 'INVOICES')

@InputType({ description: 'A payment of an invoice.' })
export class InvoicePaymentRecordInput {
  @Field(() => Decimal, {
    description: 'Amount that was received, above 0 and at most `amountDue`, with the decimals of the currency.',
  })
  amount!: ExactNumber

  @Field(() => String, {
    nullable: true,
    description: 'Currency of the amount, which must be that of the invoice; null: that of the invoice.',
  })
  currency?: string | null

  @Field(() => PaymentMethod, { defaultValue: 'BANK_TRANSFER', description: 'How it was paid.' })
  method!: PaymentMethod

  @Field(() => String, {
    nullable: true,
    description:
      'Reference of the payment, at most 255 characters; null if none. A payment with the reference of another payment of the customer, recorded within the last 24 hours and not refunded as a whole, is refused with DUPLICATE_DETECTED and the id of that payment in `conflictingId`, if the caller sees it. Case and the number of spaces make no difference.',
  })
  reference?: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: `When it was received, not in the future; null: now. ${dayMeaning('BEGIN')}`,
  })
  @Day('BEGIN')
  paidAt?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Note of the organization, at most 2,000 characters; null if none.',
  })
  note?: string | null

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Record also more than `amountDue`, which is then below 0.',
  })
  allowOverpayment!: boolean

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Record the payment also if the customer made another one with this reference within the last 24 hours.',
  })
  allowDuplicateReference!: boolean
}

@InputType({ description: 'A refund of a payment.' })
export class InvoiceRefundRecordInput {
  @Field(() => Decimal, {
    nullable: true,
    description: 'Amount that is returned, above 0 and at most what is left of the payment; null: all that is left.',
  })
  amount?: ExactNumber | null

  @Field(() => String, { nullable: true, description: 'Why, at most 2,000 characters; null without a reason.' })
  reason?: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: `When it was returned, not before the payment and not in the future; null: now. ${dayMeaning('BEGIN')}`,
  })
  @Day('BEGIN')
  refundedAt?: string | null
}

@InputType({ description: 'A quantity of one line of an order that is invoiced.' })
export class InvoicedLineInput {
  @Field(() => ID, { description: 'Id of the line of the order.' })
  lineItemId!: string

  @Field(() => Decimal, { description: 'Number of units, above 0 and at most the quantity that is not invoiced.' })
  quantity!: ExactNumber
}
