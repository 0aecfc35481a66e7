import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const AccountType = enumeration('AccountType', [
  'PROSPECT',
  'CUSTOMER',
  'PARTNER',
  'RESELLER',
  'COMPETITOR',
  'OTHER',
])
export type AccountType = keyof typeof AccountType

export const AccountStatus = enumeration('AccountStatus', ['ACTIVE', 'INACTIVE', 'PENDING', 'CHURNED'])
export type AccountStatus = keyof typeof AccountStatus

export const AccountRating = enumeration('AccountRating', ['HOT', 'WARM', 'COLD'])
export type AccountRating = keyof typeof AccountRating

export const ChurnRisk = enumeration('ChurnRisk', ['HIGH', 'MEDIUM', 'LOW', 'NONE'])
export type ChurnRisk = keyof typeof ChurnRisk

@ObjectType({ description: 'A company, for example a customer, prospect, partner or competitor.' })
@Directive('@key(fields: "id")')
@RequiresScope('ACCOUNTS')
@Entity({ schema: 'crm', tableName: 'account' })
export class Account extends OrgRecord {
  @Column(() => String, { indexed: true, max: 255, filled: true })
  name!: string

  @Column(() => AccountType, { indexed: true, nullable: true })
  type!: AccountType | null

  @Column(() => String, { indexed: true, nullable: true, max: 100 })
  industry!: string | null

  @Column(() => String, { nullable: true, max: 2048 })
  website!: string | null

  @Column(() => String, { indexed: true, nullable: true, max: 255 })
  domain!: string | null

  @Column(() => String, { nullable: true, max: 50 })
  phone!: string | null

  @Column(() => String, { nullable: true, max: 50 })
  fax!: string | null

  @Column(() => String, { nullable: true, max: 20_000 })
  description!: string | null

  @Column(() => ID, { indexed: true, nullable: true, description: 'Id of the parent account; null without a parent.' })
  parentAccountId!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 255,
    description: 'Id of the account in the CRM from which it was imported; null if none.',
  })
  legacyCrmId!: string | null

  @Column(() => Int, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 2_000_000_000,
    description: 'Number of employees; null if unknown.',
  })
  numberOfEmployees!: number | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    description: 'Annual revenue, without a currency; null if unknown.',
  })
  annualRevenue!: ExactNumber | null

  @Column(() => String, { nullable: true, max: 255 })
  billingStreet!: string | null

  @Column(() => String, { indexed: true, nullable: true, max: 100 })
  billingCity!: string | null

  @Column(() => String, { indexed: true, nullable: true, max: 100 })
  billingState!: string | null

  @Column(() => String, { nullable: true, max: 20 })
  billingPostalCode!: string | null

  @Column(() => String, { indexed: true, nullable: true, max: 100 })
  billingCountry!: string | null

  @Column(() => String, { nullable: true, max: 255 })
  shippingStreet!: string | null

  @Column(() => String, { nullable: true, max: 100 })
  shippingCity!: string | null

  @Column(() => String, { nullable: true, max: 100 })
  shippingState!: string | null

  @Column(() => String, { nullable: true, max: 20 })
  shippingPostalCode!: string | null

  @Column(() => String, { nullable: true, max: 100 })
  shippingCountry!: string | null

  @Column(() => AccountStatus, { indexed: true, default: 'ACTIVE', description: 'State of the business relationship.' })
  accountStatus!: AccountStatus

  @Column(() => AccountRating, { indexed: true, nullable: true, description: 'Sales rating; null if not rated.' })
  rating!: AccountRating | null

  @Column(() => Float, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 100,
    description: 'Health of the account, 0 (worst) to 100 (best); null if unknown.',
  })
  healthScore!: number | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    description: 'Revenue from the account over its lifetime, without a currency; null if unknown.',
  })
  lifetimeValue!: ExactNumber | null

  @Column(() => ChurnRisk, {
    indexed: true,
    nullable: true,
    description: 'Risk of losing the account; null if unknown.',
  })
  churnRisk!: ChurnRisk | null

  @Column(() => [String], { max: 500, maxItems: 100, description: 'Problems that the account wants to solve.' })
  painPoints!: string[]

  @Column(() => [String], { max: 100, maxItems: 100, description: 'Technologies that the account uses.' })
  techStack!: string[]

  @Column(() => [String], { max: 255, maxItems: 100, description: 'Competitors at this account.' })
  competitors!: string[]

  @Column(() => Boolean, { indexed: true, description: 'True for a strategic account.' })
  isStrategic!: boolean

  @Column(() => String, { indexed: true, nullable: true, max: 50 })
  tier!: string | null

  @Column(() => String, { indexed: true, nullable: true, max: 100 })
  region!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    description: 'When the last activity took place; null if unknown.',
  })
  lastActivityDate!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    description: 'When the next activity is planned; null if none is.',
  })
  nextActivityDate!: string | null
}
