import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { documentUrlOptions } from '../document/document-url.ts'
import { linesMax } from '../line-item/line-item.ts'
import { PricedRecord } from '../line-item/priced-record.ts'
import { PaymentTerms } from '../quote/quote.enumerations.ts'
import { OrderLineItem } from './order-line.ts'
import { OrderInvoiceStatus, OrderPaymentStatus, OrderStatus } from './order.enumerations.ts'
import { PostalAddress } from './postal-address.ts'

export { OrderInvoiceStatus, OrderPaymentStatus, OrderStatus }

@ObjectType({
  description:
    'What a customer bought: lines with prices and delivered quantities. All totals are computed in every write.',
})
@Directive('@key(fields: "id")')
@RequiresScope('ORDERS')
@Entity({ schema: 'commerce', tableName: 'order' })
export class Order extends PricedRecord {
  @Column(() => Int, { internal: true, writable: 'NEVER' })
  number!: number

  @Column(() => String, {
    indexed: true,
    writable: 'NEVER',
    max: 20,
    description: 'Number of the order, counted per organization without gaps. It never changes.',
    example: 'O-000123',
  })
  orderNumber!: string

  @Column(() => OrderStatus, {
    indexed: true,
    writable: 'NEVER',
    default: 'DRAFT',
    description: 'Where the order is in its life cycle. Its own operations change it.',
    example: 'DRAFT',
  })
  status!: OrderStatus

  @Column(() => OrderPaymentStatus, {
    indexed: true,
    default: 'UNPAID',
    description: 'How much of the order is paid, as the organization records it.',
    example: 'UNPAID',
  })
  paymentStatus!: OrderPaymentStatus

  @Column(() => OrderInvoiceStatus, {
    indexed: true,
    default: 'NOT_INVOICED',
    description: 'How much of the order is invoiced, as the organization records it.',
    example: 'NOT_INVOICED',
  })
  invoiceStatus!: OrderInvoiceStatus

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the quote that became this order; null if none. A quote becomes at most one order.',
    example: null,
  })
  quoteId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the opportunity to which the order belongs; null if none.',
    example: null,
  })
  opportunityId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the account that ordered; null if none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact who ordered; null if none.',
    example: null,
  })
  contactId!: string | null

  @StructureColumn(() => OrderLineItem, {
    list: true,
    maxItems: linesMax,
    description: 'The lines in their order; empty if none. A change replaces all of them; only a DRAFT can change.',
  })
  lineItems!: OrderLineItem[]

  @Column(() => DateTime, {
    indexed: true,
    derivedDefault: 'the time of the request',
    day: 'BEGIN',
    description: 'When the customer ordered.',
    example: '2026-11-02T08:15:00.000Z',
  })
  orderDate!: string

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    day: 'BEGIN',
    description: 'When the customer wants the delivery; null if not said.',
    example: '2026-12-01T00:00:00.000Z',
  })
  requestedDate!: string | null

  @Column(() => PaymentTerms, {
    default: 'NET_30',
    description: 'When an invoice of the order must be paid.',
    example: 'NET_30',
  })
  paymentTerms!: PaymentTerms

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 100,
    description: 'Number of the order at the customer; null if none.',
    example: 'PO-88213',
  })
  purchaseOrderNumber!: string | null

  @StructureColumn(() => PostalAddress, {
    nullable: true,
    description: 'Address for the invoice; null if unknown.',
  })
  billingAddress!: PostalAddress | null

  @StructureColumn(() => PostalAddress, {
    nullable: true,
    description: 'Address for the delivery; null if unknown.',
  })
  shippingAddress!: PostalAddress | null

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
    example: 'Deliver before noon.',
  })
  notes!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the order was confirmed; null before.',
    example: null,
  })
  confirmedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the last quantity was delivered; null before.',
    example: null,
  })
  fulfilledAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the order was cancelled; null if not.',
    example: null,
  })
  cancelledAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: 2000,
    description: 'Why the order was cancelled; null if not cancelled or without a reason.',
    example: null,
  })
  cancelReason!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the customer returned the order; null if not.',
    example: null,
  })
  returnedAt!: string | null

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    max: 2000,
    description: 'Why the customer returned the order; null if not returned or without a reason.',
    example: null,
  })
  returnReason!: string | null

  @Column(() => String, documentUrlOptions('orders', 'order'))
  documentUrl!: string
}
