import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { addressLine } from '../address-line.ts'
import { lastActivityDate, nextActivityDate } from '../activity-date-columns.ts'
import { AccountRating, AccountStatus, AccountType, ChurnRisk } from './account.enumerations.ts'

@ObjectType({ description: 'A company, for example a customer, prospect, partner or competitor.' })
@Directive('@key(fields: "id")')
@RequiresScope('ACCOUNTS')
@Entity({ schema: 'crm', tableName: 'account' })
export class Account extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the company.',
    example: 'Halvorsen Marine AS',
  })
  name!: string

  @Column(() => AccountType, {
    indexed: true,
    nullable: true,
    description: 'Role of the company in the business; null if not classified.',
    example: 'CUSTOMER',
  })
  type!: AccountType | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 100,
    description: 'Industry of the company in the words of the organization; null if unknown.',
    example: 'Maritime',
  })
  industry!: string | null

  @Column(() => String, {
    nullable: true,
    max: 2048,
    description: 'Web address of the company; null if unknown.',
    example: 'https://halvorsen-marine.example',
  })
  website!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 255,
    description: 'Internet domain of the company, for example to recognize its email addresses; null if unknown.',
    example: 'halvorsen-marine.example',
  })
  domain!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Telephone number as it was entered; null if unknown.',
    example: '+46 8 465 004 12',
  })
  phone!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Fax number as it was entered; null if unknown.',
    example: null,
  })
  fax!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'What the company does, as free text; null if none.',
    example: 'Operates nine coastal ferries and two repair yards.',
  })
  description!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the parent account, a live account that the caller sees; null without a parent. An account cannot become its own ancestor.',
    example: null,
  })
  parentAccountId!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 255,
    description: 'Id of the account in the CRM from which it was imported; null if none.',
    example: null,
  })
  legacyCrmId!: string | null

  @Column(() => Int, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 2_000_000_000,
    description: 'Number of employees; null if unknown.',
    example: 420,
  })
  numberOfEmployees!: number | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    description: 'Annual revenue, as an amount without a currency; null if unknown.',
    example: 61500000,
  })
  annualRevenue!: ExactNumber | null

  @Column(() => String, addressLine(255, 'Street and number of the billing', 'Skeppsbron 14'))
  billingStreet!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'City of the billing', 'Gothenburg') })
  billingCity!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'State or province of the billing', null) })
  billingState!: string | null

  @Column(() => String, addressLine(20, 'Postal code of the billing', '411 21'))
  billingPostalCode!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'Country of the billing', 'Sweden') })
  billingCountry!: string | null

  @Column(() => String, addressLine(255, 'Street and number of the shipping', null))
  shippingStreet!: string | null

  @Column(() => String, addressLine(100, 'City of the shipping', null))
  shippingCity!: string | null

  @Column(() => String, addressLine(100, 'State or province of the shipping', null))
  shippingState!: string | null

  @Column(() => String, addressLine(20, 'Postal code of the shipping', null))
  shippingPostalCode!: string | null

  @Column(() => String, addressLine(100, 'Country of the shipping', null))
  shippingCountry!: string | null

  @Column(() => AccountStatus, {
    indexed: true,
    default: 'ACTIVE',
    description: 'State of the business relationship. Only a client changes it.',
    example: 'ACTIVE',
  })
  accountStatus!: AccountStatus

  @Column(() => AccountRating, {
    indexed: true,
    nullable: true,
    description: 'Sales rating; null if not rated.',
    example: 'HOT',
  })
  rating!: AccountRating | null

  @Column(() => Float, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 100,
    description: 'Health of the account, from 0 (worst) to 100 (best); null if unknown. Only a client changes it.',
    example: 82,
  })
  healthScore!: number | null

  @Column(() => Decimal, {
    indexed: true,
    nullable: true,
    description:
      'Revenue from the account over its lifetime, as an amount without a currency; null if unknown. Only a client changes it.',
    example: 318400,
  })
  lifetimeValue!: ExactNumber | null

  @Column(() => ChurnRisk, {
    indexed: true,
    nullable: true,
    description: 'Risk of losing the account; null if unknown.',
    example: 'LOW',
  })
  churnRisk!: ChurnRisk | null

  @Column(() => [String], {
    max: 500,
    maxItems: 100,
    description: 'Problems that the account wants to solve; empty if none are known.',
    example: ['Paper checklists on board'],
  })
  painPoints!: string[]

  @Column(() => [String], {
    max: 100,
    maxItems: 100,
    description: 'Technologies that the account uses; empty if none are known.',
    example: ['SAP Business One', 'Azure'],
  })
  techStack!: string[]

  @Column(() => [String], {
    max: 255,
    maxItems: 100,
    description: 'Competitors at this account; empty if none are known.',
    example: [],
  })
  competitors!: string[]

  @Column(() => Boolean, { indexed: true, description: 'True for a strategic account.', example: true })
  isStrategic!: boolean

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 50,
    description: 'Service tier in the words of the organization; null if none.',
    example: 'Gold',
  })
  tier!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 100,
    description: 'Sales region in the words of the organization; null if none.',
    example: 'Nordics',
  })
  region!: string | null

  @Column(() => DateTime, {
    ...lastActivityDate('account'),
    writable: 'ALWAYS',
    description: `${lastActivityDate('account').description} A client may set it too, for example with an import, until the next such change.`,
  })
  lastActivityDate!: string | null

  @Column(() => DateTime, {
    ...nextActivityDate('account'),
    writable: 'ALWAYS',
    description: `${nextActivityDate('account').description} A client may set it too, for example with an import, until the next such change.`,
  })
  nextActivityDate!: string | null
}
