import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const ProductType = enumeration('ProductType', 'Kind of product.', {
  PRODUCT: 'A physical or digital good. The default.',
  SERVICE: 'Work that is done for the customer.',
  SUBSCRIPTION: 'Access for a period that is renewed.',
  LICENSE: 'A right to use something.',
  BUNDLE: 'Several products that are sold together.',
})
export type ProductType = keyof typeof ProductType

export const ProductCategory = enumeration('ProductCategory', 'Category of a product.', {
  OTHER: 'Any other category. The default.',
  TRAINING: 'Courses and teaching.',
  SOFTWARE: 'Programs and hosted services.',
  HARDWARE: 'Devices and parts.',
  CONSULTING: 'Advice and projects.',
  SUPPORT: 'Maintenance and help.',
})
export type ProductCategory = keyof typeof ProductCategory

export const BillingFrequency = enumeration('BillingFrequency', 'How often a product is billed.', {
  ONE_TIME: 'Once, at the sale. The default.',
  MONTHLY: 'Every month.',
  QUARTERLY: 'Every three months.',
  ANNUAL: 'Every year.',
  USAGE_BASED: 'By use; prices may have up to 20 decimals.',
})
export type BillingFrequency = keyof typeof BillingFrequency

@ObjectType({
  description: 'A product or service that the organization sells. Every user of the organization sees every product.',
})
@Directive('@key(fields: "id")')
@RequiresScope('PRODUCTS')
@Entity({ schema: 'commerce', tableName: 'product' })
export class Product extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the product.',
    example: 'Dock Scheduling',
  })
  name!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Stock keeping unit; unique among the live products of the organization.',
    example: 'SW-DOCK-A',
  })
  sku!: string

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'What the product is, as free text; null if none.',
    example: 'Slot booking for carriers, with a yard view for the gate.',
  })
  description!: string | null

  @Column(() => ProductType, {
    indexed: true,
    default: 'PRODUCT',
    description: 'Kind of product.',
    example: 'SUBSCRIPTION',
  })
  type!: ProductType

  @Column(() => ProductCategory, {
    indexed: true,
    default: 'OTHER',
    description: 'Category of the product.',
    example: 'SOFTWARE',
  })
  category!: ProductCategory

  @Column(() => Decimal, {
    indexed: true,
    minimum: 0,
    description:
      'Price as an amount in `currency`, with at most as many decimals as the currency has unless `billingFrequency` is USAGE_BASED.',
    example: 490,
  })
  listPrice!: ExactNumber

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    minimum: 0,
    description: 'Price of one unit as an amount in `currency`; null if not set.',
    example: 450,
  })
  unitPrice!: ExactNumber | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    minimum: 0,
    description: 'Cost of one unit as an amount in `currency`; null if not set.',
    example: 95,
  })
  costPrice!: ExactNumber | null

  @Column(() => String, {
    indexed: true,
    max: 3,
    default: 'USD',
    description: 'Currency of the prices as ISO 4217 code, three capital letters.',
    example: 'EUR',
  })
  currency!: string

  @Column(() => BillingFrequency, {
    indexed: true,
    default: 'ONE_TIME',
    description: 'How often the product is billed.',
    example: 'MONTHLY',
  })
  billingFrequency!: BillingFrequency

  @Column(() => Boolean, {
    indexed: true,
    default: true,
    description: 'False if the product is not sold at present.',
    example: true,
  })
  isActive!: boolean

  @Column(() => [String], {
    max: 500,
    maxItems: 100,
    description: 'Features of the product; empty if none.',
    example: ['Carrier portal', 'Late arrival alerts'],
  })
  features!: string[]
}
