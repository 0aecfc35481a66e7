import { Directive, Field, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { LineItem } from '../line-item/line-item.ts'
import { PaymentTerms, QuoteStatus } from '../quote/quote.ts'

@ObjectType({ description: 'A quote as the customer sees it on its public page.' })
@Directive('@shareable')
@RequiresScopes('PUBLIC')
export class PublicQuote {
  @Field(() => String, { description: 'Name of the organization that makes the offer.' })
  organizationName!: string

  @Field(() => String, {
    nullable: true,
    description: 'Name of the account to which the quote is made, or of its contact; null without both.',
  })
  customerName!: string | null

  @Field(() => String, { description: 'Number of the quote.' })
  quoteNumber!: string

  @Field(() => String, { description: 'Name of the quote.' })
  name!: string

  @Field(() => QuoteStatus, { description: 'Where the quote is in its life cycle.' })
  status!: QuoteStatus

  @Field(() => String, { description: 'Currency of all amounts as ISO 4217 code.' })
  currency!: string

  @Field(() => [LineItem], { description: 'The lines in their order.' })
  lineItems!: LineItem[]

  @Field(() => Decimal, { description: 'Sum of the lines after their discounts.' })
  subtotal!: ExactNumber

  @Field(() => Decimal, { description: 'Discount on the whole quote.' })
  discountTotal!: ExactNumber

  @Field(() => Decimal, { description: 'Tax of all lines.' })
  taxTotal!: ExactNumber

  @Field(() => Decimal, { description: 'Cost of shipping.' })
  shippingTotal!: ExactNumber

  @Field(() => Decimal, { description: 'What the customer pays.' })
  total!: ExactNumber

  @Field(() => DateTime, { nullable: true, description: 'Until when the quote can be accepted; null without a limit.' })
  validUntil!: string | null

  @Field(() => PaymentTerms, { description: 'When the invoice must be paid.' })
  paymentTerms!: PaymentTerms

  @Field(() => String, { nullable: true, description: 'Terms of the quote; null if none.' })
  terms!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When the quote was sent; null for a quote that is not sent.' })
  sentAt!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When the quote was accepted; null if not.' })
  acceptedAt!: string | null

  @Field(() => String, { nullable: true, description: 'Name of the person who accepted it; null if not accepted.' })
  acceptedByName!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When the quote was rejected; null if not.' })
  rejectedAt!: string | null
}
