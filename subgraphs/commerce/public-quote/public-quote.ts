import { Directive, Field, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { PublicDocument } from '../document/public-document.ts'
import { PaymentTerms, QuoteStatus } from '../quote/quote.ts'

@ObjectType({ description: 'A quote as the customer sees it on its public page.' })
@Directive('@shareable')
@RequiresScopes('PUBLIC')
export class PublicQuote extends PublicDocument {
  @Field(() => String, { description: 'Number of the quote.' })
  quoteNumber!: string

  @Field(() => String, { description: 'Name of the quote.' })
  name!: string

  @Field(() => QuoteStatus, { description: 'Where the quote is in its life cycle.' })
  status!: QuoteStatus

  @Field(() => DateTime, { nullable: true, description: 'Until when the quote can be accepted; null without a limit.' })
  validUntil!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The day in the time zone of the organization to whose end the quote can be accepted, `YYYY-MM-DD`; null if `validUntil` is another time, or null.',
  })
  lastDay!: string | null

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
