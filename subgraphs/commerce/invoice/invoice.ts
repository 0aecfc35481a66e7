import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { mailFailureOptions } from '../customer-mail/mail-failure.ts'
import { documentUrlOptions } from '../document/document-url.ts'
import { LineItem, linesMax } from '../line-item/line-item.ts'
import { PaymentTerms } from '../quote/quote.enumerations.ts'
import { InvoiceStatus } from './invoice.enumerations.ts'
import { SettledRecord } from './settled-record.ts'

export { InvoiceStatus }

/** Maximum length of the reason of a verb. */
export const reasonMax = 2000

/** The options of a time that only the platform sets. */
const moment = (description: string) => ({ nullable: true, writable: 'NEVER' as const, description, example: null })

/** The options of a number that only the platform changes, from 0. */
const counted = (description: string) => ({ writable: 'NEVER' as const, default: 0, description, example: 0 })

@ObjectType({
  description:
    'What a customer must pay: lines with prices, payments and what is still open. All totals are computed in every write.',
})
@Directive('@key(fields: "id")')
@RequiresScope('INVOICES')
@Entity({ schema: 'commerce', tableName: 'invoice' })
export class Invoice extends SettledRecord {
  @Column(() => String, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    max: 20,
    description:
      'Number of the invoice, counted for each organization and year of `issueDate` without gaps. Null in a DRAFT, because it can be deleted: it gets the next number when it is sent. It never changes.',
    example: 'INV-2026-000123',
  })
  invoiceNumber!: string | null

  @Column(() => InvoiceStatus, {
    indexed: true,
    writable: 'NEVER',
    default: 'DRAFT',
    decidesEdges: true,
    description: 'Where the invoice is in its life cycle. Its own operations, payments and the clock change it.',
    example: 'DRAFT',
  })
  status!: InvoiceStatus

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    decidesEdges: true,
    description: 'Id of the account that must pay; null if none. An invoice without a customer cannot be sent.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  customerId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    derivedFrom: ['customerId'],
    description: 'The same as `customerId`, under the name that other records use.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact who gets the invoice; null if none.',
    example: null,
  })
  contactId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the order that is invoiced; null if none.',
    example: null,
  })
  orderId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the quote that the customer accepted; null if none.',
    example: null,
  })
  quoteId!: string | null

  @Column(() => DateTime, {
    isUtcDay: true,
    indexed: true,
    nullable: true,
    description:
      'Day of the invoice, as midnight UTC; a time of day is cut off. Null in a DRAFT until it is set: it is then the day of sending in the time zone of the organization.',
    example: '2026-11-02T00:00:00.000Z',
  })
  issueDate!: string | null

  @Column(() => DateTime, {
    isUtcDay: true,
    indexed: true,
    indexedByDay: true,
    nullable: true,
    decidesEdges: true,
    description:
      'Last day to pay, as midnight UTC, not before `issueDate`; a time of day is cut off. Null in a DRAFT until it is set: it then follows from `issueDate` and `paymentTerms` when the invoice is sent.',
    example: '2026-12-02T00:00:00.000Z',
  })
  dueDate!: string | null

  @Column(() => PaymentTerms, {
    default: 'NET_30',
    description: 'When the invoice must be paid.',
    example: 'NET_30',
  })
  paymentTerms!: PaymentTerms

  @StructureColumn(() => LineItem, {
    list: true,
    maxItems: linesMax,
    description:
      'The lines in their order; empty if none. A change replaces all of them; only a DRAFT without an order can change.',
  })
  lineItems!: LineItem[]

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 100,
    description: 'Number of the order at the customer; null if none.',
    example: 'PO-88213',
  })
  purchaseOrderNumber!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Terms that the customer sees, as free text; null if none.',
    example: 'Please state the invoice number.',
  })
  terms!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Notes for the organization, as free text; the customer does not see them. Null if none.',
    example: 'Send a copy to procurement.',
  })
  notes!: string | null

  @Column(() => DateTime, { indexed: true, ...moment('When the invoice was first sent; null before.') })
  sentAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: 255,
    description:
      'Email address to which the invoice and its reminders are mailed; null if it was not mailed. The last sending sets it.',
    example: null,
  })
  sentTo!: string | null

  @Column(() => String, mailFailureOptions('the invoice or a reminder'))
  mailFailure!: string | null

  @Column(() => DateTime, moment('When the customer first opened the public page; null before.'))
  viewedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    ...moment('When the last payment or credit made the invoice PAID; null while it is not.'),
  })
  paidAt!: string | null

  @Column(() => DateTime, moment('When the invoice was voided; null if not.'))
  voidedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: reasonMax,
    description: 'Why the invoice was voided; null if not voided or without a reason.',
    example: null,
  })
  voidReason!: string | null

  @Column(() => DateTime, moment('When the invoice became UNCOLLECTIBLE; null if it did not.'))
  uncollectibleAt!: string | null

  @Column(() => DateTime, moment('When the invoice last became OVERDUE; null before.'))
  overdueAt!: string | null

  @Column(() => DateTime, moment('When the last reminder was sent; null before the first.'))
  lastReminderAt!: string | null

  @Column(() => Int, counted('Number of reminders that were sent.'))
  reminderCount!: number

  @Column(() => Int, counted('Level of the last reminder in the dunning configuration; 0 before the first.'))
  dunningLevel!: number

  @Column(
    () => Decimal,
    counted(
      'Sum of the fees of the reminders. The customer is asked for it in addition to `amountDue` while that is above 0; it is not part of `total`, because an issued invoice does not change. A payment counts for the invoice first: what pays the fees is recorded with `allowOverpayment`.',
    ),
  )
  dunningFees!: ExactNumber

  @Column(
    () => Decimal,
    counted('Interest that the last reminder claimed, in addition to `amountDue` in the same way as `dunningFees`.'),
  )
  dunningInterest!: ExactNumber

  @Column(() => Boolean, {
    default: false,
    description: 'Whether no reminder may be sent for the invoice. It can be changed in every status.',
    example: false,
  })
  dunningBlocked!: boolean

  @Column(() => DateTime, moment('When the customer disputed the invoice, as recorded; null while it is not disputed.'))
  disputedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: reasonMax,
    description: 'Why the customer disputes the invoice; null if not disputed or without a reason.',
    example: null,
  })
  disputeReason!: string | null

  @Column(() => String, documentUrlOptions('invoices', 'invoice'))
  documentUrl!: string

  /** When the last payment was recorded. */
  @Column(() => DateTime, { nullable: true, internal: true, writable: 'NEVER' })
  lastPaymentAt!: string | null

  /** From this time on nothing of the invoice is receivable: it is paid, void or uncollectible. */
  @Column(() => DateTime, { nullable: true, internal: true, writable: 'NEVER' })
  closedAt!: string | null

  /** Days from the issue to the day of the last payment of a PAID invoice, in the time zone that the organization then had. */
  @Column(() => Int, { nullable: true, internal: true, writable: 'NEVER' })
  daysToPay!: number | null

  /** The secret in the address of the public page. */
  @Column(() => String, { nullable: true, internal: true, writable: 'NEVER', decidesEdges: true })
  publicToken!: string | null
}
