import { ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { Decimal } from '../../kernel/record/scalars.ts'

export const DiscountType = enumeration('DiscountType', 'How the discount on a whole document is given.', {
  PERCENT: '`discountValue` is a percentage of the subtotal, 0 to 100.',
  AMOUNT: '`discountValue` is an amount in the currency of the document, at most the subtotal.',
})
export type DiscountType = keyof typeof DiscountType

/** The columns of a document with prices, besides its `lineItems`. `calculatedAmounts` computes the totals in every write. */
@ObjectType()
export abstract class PricedRecord extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writtenWith: ['lineItems'],
    derivedDefault: 'the currency of the first product, or the base currency of the organization',
    max: 3,
    description:
      'Currency of all amounts as ISO 4217 code, three capital letters. A change needs `lineItems` in the same request if the document has lines.',
    example: 'EUR',
  })
  currency!: string

  @Column(() => Decimal, {
    writable: 'NEVER',
    indexed: true,
    description: 'Sum of `lineTotal` of all lines: after their discounts, before the discount on the document and tax.',
    example: 4860,
  })
  subtotal!: ExactNumber

  @Column(() => DiscountType, {
    nullable: true,
    description: 'How the discount on the document is given; null without one. Set together with `discountValue`.',
    example: 'PERCENT',
  })
  discountType!: DiscountType | null

  @Column(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: 'Discount on the document, in percent or as an amount by `discountType`; null without one.',
    example: 5,
  })
  discountValue!: ExactNumber | null

  @Column(() => Decimal, {
    writable: 'NEVER',
    description: 'Discount on the document as an amount. Discounts of single lines are not part of it.',
    example: 243,
  })
  discountTotal!: ExactNumber

  @Column(() => Decimal, {
    writable: 'NEVER',
    description: 'Sum of `taxAmount` of all lines. Shipping is not taxed.',
    example: 877.23,
  })
  taxTotal!: ExactNumber

  @Column(() => Decimal, {
    default: 0,
    minimum: 0,
    description: 'Cost of shipping, with at most as many decimals as the currency has.',
    example: 0,
  })
  shippingTotal!: ExactNumber

  @Column(() => Decimal, {
    writable: 'NEVER',
    indexed: true,
    description: 'What the customer pays: `subtotal` - `discountTotal` + `taxTotal` + `shippingTotal`.',
    example: 5494.23,
  })
  total!: ExactNumber
}

/** The columns of `PricedRecord` in the SQL of a table. Never edit it, because a migration that has run must not change. */
export const pricedColumns = `
      currency text not null,
      subtotal numeric not null,
      discount_type text,
      discount_value numeric,
      discount_total numeric not null,
      tax_total numeric not null,
      shipping_total numeric not null,
      total numeric not null`
