import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { mailFailureOptions } from '../customer-mail/mail-failure.ts'
import { documentUrlOptions } from '../document/document-url.ts'
import { LineItem, linesMax } from '../line-item/line-item.ts'
import { PricedRecord } from '../line-item/priced-record.ts'
import { personMax, QuoteDecision, reasonMax } from './quote-decision.ts'
import { PaymentTerms, QuoteApprovalStatus, QuoteStatus } from './quote.enumerations.ts'

export { PaymentTerms, QuoteApprovalStatus, QuoteStatus }

/** The options of a time that only the platform sets. */
const moment = (description: string) => ({ nullable: true, writable: 'NEVER' as const, description, example: null })

@ObjectType({
  description:
    'An offer to a customer: lines with prices, discounts and taxes, which the customer can accept. All totals are computed in every write.',
})
@Directive('@key(fields: "id")')
@RequiresScope('QUOTES')
@Entity({ schema: 'commerce', tableName: 'quote' })
export class Quote extends PricedRecord {
  @Column(() => Int, { internal: true, writable: 'NEVER' })
  number!: number

  @Column(() => String, {
    indexed: true,
    writable: 'NEVER',
    max: 20,
    description: 'Number of the quote, counted per organization without gaps. It never changes.',
    example: 'Q-000123',
  })
  quoteNumber!: string

  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the quote.',
    example: 'Dock scheduling for two yards',
  })
  name!: string

  @Column(() => QuoteStatus, {
    indexed: true,
    writable: 'NEVER',
    default: 'DRAFT',
    description: 'Where the quote is in its life cycle. Its own operations change it.',
    example: 'DRAFT',
  })
  status!: QuoteStatus

  @Column(() => QuoteApprovalStatus, {
    indexed: true,
    writable: 'NEVER',
    default: 'NOT_REQUIRED',
    description: 'State of the approval.',
    example: 'NOT_REQUIRED',
  })
  approvalStatus!: QuoteApprovalStatus

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the opportunity to which the quote belongs; null if none.',
    example: null,
  })
  opportunityId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the account to which the quote is made; null if none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact to whom the quote is addressed; null if none.',
    example: null,
  })
  contactId!: string | null

  @StructureColumn(() => LineItem, {
    list: true,
    maxItems: linesMax,
    description: 'The lines in their order; empty if none. A change replaces all of them.',
  })
  lineItems!: LineItem[]

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    day: 'END',
    description:
      'Until when the customer can accept the quote; null without a limit. A sent quote expires at this time.',
    example: '2026-12-31T22:59:59.000Z',
  })
  validUntil!: string | null

  @Column(() => PaymentTerms, {
    default: 'NET_30',
    description: 'When the invoice must be paid.',
    example: 'NET_30',
  })
  paymentTerms!: PaymentTerms

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Terms that the customer sees, as free text; null if none.',
    example: 'Prices include onboarding.',
  })
  terms!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Notes for the organization, as free text; the customer does not see them. Null if none.',
    example: 'Champion expects a multi-year discount.',
  })
  notes!: string | null

  @Column(() => Int, {
    writable: 'NEVER',
    default: 1,
    description: 'Number of the revision, from 1.',
    example: 1,
  })
  revision!: number

  @NamesRecord('quote')
  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the quote that this one revises; null for a first version.',
    example: null,
  })
  revisionOfId!: string | null

  @Column(() => Boolean, {
    indexed: true,
    default: false,
    description:
      'Whether it is the quote of its opportunity that counts. At most one quote of an opportunity is: setting it clears it in the others. While the opportunity is open, its `lineItems`, `amount` and `currency` follow the quote; the amount is `subtotal` - `discountTotal`, without tax and shipping.',
    example: false,
  })
  isPrimary!: boolean

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who last approved the quote or declined to approve it; null before.',
    example: null,
    user: { field: 'reviewedBy', description: 'The user who last decided on the approval; null before.' },
  })
  reviewedById!: string | null

  @Column(() => DateTime, moment('When a user last decided on the approval; null before.'))
  reviewedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: 2000,
    description: 'Comment of the user who decided on the approval; null if none.',
    example: null,
  })
  reviewComment!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the quote was first sent; null before.',
    example: null,
  })
  sentAt!: string | null

  @Column(() => String, mailFailureOptions('a link to the quote'))
  mailFailure!: string | null

  @Column(() => DateTime, moment('When the customer first opened the page of the quote; null before.'))
  viewedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the customer accepted the quote; null if not.',
    example: null,
  })
  acceptedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: personMax,
    description: 'Name of the person who accepted the quote; null if it is not accepted.',
    example: null,
  })
  acceptedByName!: string | null

  @Column(() => DateTime, moment('When the customer rejected the quote; null if not.'))
  rejectedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: personMax,
    description:
      'Name of the person who rejected the quote; null if it is not rejected, or on the public page, which does not ask for it.',
    example: null,
  })
  rejectedByName!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: reasonMax,
    description: 'Why the customer rejected the quote; null if not rejected or without a reason.',
    example: null,
  })
  rejectionReason!: string | null

  @StructureColumn(() => QuoteDecision, {
    nullable: true,
    writable: 'NEVER',
    description:
      'How the customer accepted or rejected the quote: on its public page, or in another way that a user recorded. Null before.',
    example: null,
  })
  decision!: QuoteDecision | null

  @Column(() => DateTime, moment('When the quote expired; null if not.'))
  expiredAt!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the order that the quote became; null before.',
    example: null,
  })
  orderId!: string | null

  @Column(() => String, documentUrlOptions('quotes', 'quote'))
  documentUrl!: string
}
