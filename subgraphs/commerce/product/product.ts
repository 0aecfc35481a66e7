import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const ProductType = enumeration('ProductType', ['PRODUCT', 'SERVICE', 'SUBSCRIPTION', 'LICENSE', 'BUNDLE'])
export type ProductType = keyof typeof ProductType

export const ProductCategory = enumeration('ProductCategory', [
  'OTHER',
  'TRAINING',
  'SOFTWARE',
  'HARDWARE',
  'CONSULTING',
  'SUPPORT',
])
export type ProductCategory = keyof typeof ProductCategory

export const BillingFrequency = enumeration('BillingFrequency', [
  'ONE_TIME',
  'MONTHLY',
  'QUARTERLY',
  'ANNUAL',
  'USAGE_BASED',
])
export type BillingFrequency = keyof typeof BillingFrequency

@ObjectType({
  description: 'A product or service that the organization sells. Every user of the organization sees every product.',
})
@Directive('@key(fields: "id")')
@RequiresScope('PRODUCTS')
@Entity({ schema: 'commerce', tableName: 'product' })
export class Product extends OrgRecord {
  @Column(() => String, { indexed: true, max: 255, filled: true })
  name!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Stock keeping unit; unique among the live products of the organization.',
  })
  sku!: string

  @Column(() => String, { nullable: true, max: 20_000 })
  description!: string | null

  @Column(() => ProductType, { indexed: true, default: 'PRODUCT' })
  type!: ProductType

  @Column(() => ProductCategory, { indexed: true, default: 'OTHER' })
  category!: ProductCategory

  @Column(() => Decimal, {
    indexed: true,
    minimum: 0,
    description:
      'Price as an amount in `currency`, from 0, with at most as many decimals as the currency has; with at most 20 if `billingFrequency` is USAGE_BASED.',
  })
  listPrice!: ExactNumber

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    minimum: 0,
    description: 'Price of one unit in `currency`, from 0, with up to 20 decimals; null if not set.',
  })
  unitPrice!: ExactNumber | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    minimum: 0,
    description: 'Cost of one unit in `currency`, from 0, with up to 20 decimals; null if not set.',
  })
  costPrice!: ExactNumber | null

  @Column(() => String, {
    indexed: true,
    max: 3,
    default: 'USD',
    description: 'Currency of the prices as ISO 4217 code.',
  })
  currency!: string

  @Column(() => BillingFrequency, {
    indexed: true,
    default: 'ONE_TIME',
    description: 'How often the product is billed.',
  })
  billingFrequency!: BillingFrequency

  @Column(() => Boolean, { indexed: true, default: true, description: 'False if the product is not sold at present.' })
  isActive!: boolean

  @Column(() => [String], { max: 500, maxItems: 100, description: 'Features of the product.' })
  features!: string[]
}
