import { Directive, Field, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { InvoiceStatus } from '../invoice/invoice.ts'
import { PublicDocument } from '../document/public-document.ts'

@ObjectType({ description: 'An invoice as the customer sees it on its public page.' })
@Directive('@shareable')
@RequiresScopes('PUBLIC')
export class PublicInvoice extends PublicDocument {
  @Field(() => String, { description: 'Number of the invoice.' })
  invoiceNumber!: string

  @Field(() => InvoiceStatus, { description: 'Where the invoice is in its life cycle.' })
  status!: InvoiceStatus

  @Field(() => Decimal, { description: 'What is paid.' })
  amountPaid!: ExactNumber

  @Field(() => Decimal, { description: 'Sum of the credit notes that are applied.' })
  amountCredited!: ExactNumber

  @Field(() => Decimal, { description: 'What is still due of the invoice.' })
  amountDue!: ExactNumber

  @Field(() => Decimal, { description: 'Fees of the reminders; 0 when nothing is due.' })
  dunningFees!: ExactNumber

  @Field(() => Decimal, { description: 'Interest that the last reminder claimed; 0 when nothing is due.' })
  dunningInterest!: ExactNumber

  @Field(() => Decimal, {
    description:
      'What the customer is asked to pay: what is due with the fees and the interest; 0 when nothing is due.',
  })
  amountToPay!: ExactNumber

  @Field(() => DateTime, { description: 'Day of the invoice, as midnight UTC.' })
  issueDate!: string

  @Field(() => DateTime, { description: 'Last day to pay, as midnight UTC.' })
  dueDate!: string

  @Field(() => String, { nullable: true, description: 'Number of the order at the customer; null if none.' })
  purchaseOrderNumber!: string | null

  @Field(() => String, { nullable: true, description: 'Terms of the invoice; null if none.' })
  terms!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'How to pay outside, such as bank details; null if the organization has set nothing.',
  })
  paymentInstructions!: string | null

  @Field(() => Boolean, {
    description:
      'Whether the customer can pay online: a provider is configured, it takes the currency, and an amount is due.',
  })
  isPayableOnline!: boolean

  @Field(() => Decimal, {
    nullable: true,
    description:
      'What an online payment charges: `amountToPay`, rounded up where the payment provider takes no such fraction (in BHD, JOD, KWD, OMR and TND to 0.01; in currencies that it counts without decimals, such as MGA, to 1). Null if the customer cannot pay online.',
  })
  onlineAmount!: ExactNumber | null
}

@ObjectType({ description: 'A page of the payment provider on which the customer pays.' })
@Directive('@shareable')
@RequiresScopes('PUBLIC')
export class PublicCheckout {
  @Field(() => String, { description: 'Address of the page.' })
  url!: string

  @Field(() => String, { description: 'Number of the invoice.' })
  invoiceNumber!: string
}
