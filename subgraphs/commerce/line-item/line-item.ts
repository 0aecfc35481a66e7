import { ID, Int } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { BillingFrequency } from '../product/product.ts'

/** Maximum number of lines of a document. */
export const linesMax = 200

/** Percentages have so many decimals at most, so that the digits of every computed amount are bounded. */
const percentDecimals = 6

@Structure('LineItem', 'One line of a quote, an order or an invoice. Its amounts are in the currency of the document.')
export class LineItem {
  @Part(() => ID, {
    derivedDefault: 'a new id',
    description: 'Id of the line, unique in its document. Send it with a changed line to keep it.',
    example: '019a0c5e-7f00-7e11-9c3d-4a6b8f2d1e07',
  })
  id!: string

  @NamesRecord('product')
  @Part(() => ID, {
    nullable: true,
    description:
      'Id of the product; null for a line without a product. Values that the line does not have are copied from the product when the line is written, if the credential has READ_PRODUCTS.',
    example: null,
  })
  productId!: string | null

  @Part(() => String, {
    nullable: true,
    max: 100,
    description: 'Stock keeping unit; null if none. Copied from the product if absent.',
    example: 'SW-DOCK-A',
  })
  sku!: string | null

  @Part(() => String, {
    derivedDefault: 'the name of the product; required without a product',
    max: 255,
    filled: true,
    description: 'What is sold.',
    example: 'Dock Scheduling',
  })
  name!: string

  @Part(() => String, {
    nullable: true,
    max: 2000,
    description: 'Details for the customer, as free text; null if none.',
    example: 'Two docks, including the carrier portal.',
  })
  description!: string | null

  @Part(() => Decimal, {
    minimum: 0,
    maximum: 1e9,
    decimals: 6,
    description: 'Number of units.',
    example: 12,
  })
  quantity!: ExactNumber

  @Part(() => Decimal, {
    derivedDefault:
      '`unitPrice` of the product, or its `listPrice`; required without a product, and for a product in another currency',
    minimum: 0,
    maximum: 1e12,
    description: 'Price of one unit.',
    example: 450,
  })
  unitPrice!: ExactNumber

  @Part(() => Decimal, {
    nullable: true,
    minimum: 0,
    maximum: 1e12,
    description: 'List price of one unit, for comparison; null if unknown. Copied from the product if absent.',
    example: 490,
  })
  listPrice!: ExactNumber | null

  @Part(() => Decimal, {
    default: 0,
    minimum: 0,
    maximum: 100,
    decimals: percentDecimals,
    description: 'Discount on the line in percent.',
    example: 10,
  })
  discountPercent!: ExactNumber

  @Part(() => Decimal, {
    default: 0,
    minimum: 0,
    maximum: 1e15,
    description:
      'Discount on the whole line as an amount, subtracted after `discountPercent`. It must not exceed the value of the line.',
    example: 0,
  })
  discountAmount!: ExactNumber

  @Part(() => Decimal, {
    default: 0,
    minimum: 0,
    maximum: 100,
    decimals: percentDecimals,
    description: 'Tax in percent.',
    example: 19,
  })
  taxRate!: ExactNumber

  @Part(() => Decimal, {
    writable: 'NEVER',
    description:
      'Value of the line: quantity × unitPrice × (1 - discountPercent ÷ 100) - discountAmount, rounded half to even to the decimals of the currency.',
    example: 4860,
  })
  lineTotal!: ExactNumber

  @Part(() => Decimal, {
    writable: 'NEVER',
    description:
      'Part of the discount on the whole document that falls on this line, by its value. The shares of all lines together are `discountTotal`.',
    example: 243,
  })
  discountShare!: ExactNumber

  @Part(() => Decimal, {
    writable: 'NEVER',
    description: 'Tax on `lineTotal` - `discountShare`, rounded half to even to the decimals of the currency.',
    example: 877.23,
  })
  taxAmount!: ExactNumber

  @Part(() => BillingFrequency, {
    derivedDefault: 'that of the product, or ONE_TIME',
    description: 'How often the line is billed.',
    example: 'MONTHLY',
  })
  billingFrequency!: BillingFrequency

  @Part(() => DateTime, {
    nullable: true,
    day: 'BEGIN',
    description: 'Start of the service or subscription; null if it does not matter.',
    example: '2026-12-01T00:00:00.000Z',
  })
  startDate!: string | null

  @Part(() => DateTime, {
    nullable: true,
    day: 'END',
    description: 'End of the service or subscription, not before `startDate`; null if open.',
    example: '2027-11-30T00:00:00.000Z',
  })
  endDate!: string | null

  @Part(() => Int, {
    writable: 'NEVER',
    description: 'Position of the line in its document, from 0: the order in which the lines were sent.',
    example: 0,
  })
  sortOrder!: number
}
