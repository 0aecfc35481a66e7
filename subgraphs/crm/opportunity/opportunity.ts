import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, Int, ObjectType } from 'type-graphql'
import { LineItem, linesMax } from '../../commerce/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { LeadSource } from '../lead-source.ts'
import { OpportunityProgress } from './opportunity-progress.ts'
import { OpportunityType } from './opportunity.enumerations.ts'
import { OpportunityContactRole } from './opportunity.structures.ts'
import { lastActivityDate, nextActivityDate } from '../activity-date-columns.ts'

@ObjectType({
  description:
    'A possible sale to an account, also called a deal. It moves through the stages of its pipeline until it is won or lost.',
})
@Directive('@key(fields: "id")')
@RequiresScope('OPPORTUNITIES')
@Entity({ schema: 'crm', tableName: 'opportunity' })
export class Opportunity extends OpportunityProgress {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the opportunity.',
    example: 'Halvorsen Marine - fleet checklists',
  })
  name!: string

  @Column(() => ID, {
    indexed: true,
    description: 'Id of the account to which something is sold, a live account that the caller sees.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  accountId!: string

  @Column(() => Decimal, {
    indexed: true,
    default: 0,
    minimum: 0,
    description:
      'Expected value of the deal in `currency`, with at most the decimals of that currency; 0 if unknown. A change of `lineItems` sets it to their sum, unless the same request sets `amount`.',
    example: 48000,
  })
  amount!: ExactNumber

  @Column(() => String, {
    indexed: true,
    max: 3,
    derivedDefault: 'the base currency of the organization',
    writtenWith: ['lineItems'],
    description:
      'Currency of `amount` and of `lineItems`, as an ISO 4217 code in upper case. A change needs `lineItems` in the same request if the deal has lines.',
    example: 'EUR',
  })
  currency!: string

  @Column(() => Decimal, {
    indexed: true,
    writable: 'NEVER',
    description: '`amount` times `probability` / 100, exactly, in `currency`.',
    example: 26400,
  })
  expectedRevenue!: ExactNumber

  @Column(() => Decimal, {
    nullable: true,
    writable: 'NEVER',
    description:
      '`amount` in the base currency of the organization, rounded half to even to its decimals; null without an exchange rate. In an open opportunity at the rate of the day on which `amount` or `currency` was last set, in a closed one at the rate of `closeDate`.',
    example: 52128,
  })
  baseAmount!: ExactNumber | null

  @Column(() => Decimal, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Units of the base currency for one unit of `currency` in `baseAmount`; null without an exchange rate.',
    example: 1.086,
  })
  exchangeRate!: ExactNumber | null

  @Column(() => DateTime, {
    indexed: true,
    indexedByDay: true,
    day: 'BEGIN',
    description: 'When the deal is expected to be closed, or was.',
    example: '2027-03-31T00:00:00.000Z',
  })
  closeDate!: string

  @Column(() => DateTime, {
    writable: 'NEVER',
    description: 'The first `closeDate`. It never changes.',
    example: '2027-02-28T00:00:00.000Z',
  })
  originalCloseDate!: string

  @Column(() => Int, {
    indexed: true,
    writable: 'NEVER',
    default: 0,
    description: 'How many times `closeDate` of the open opportunity was moved to a later time.',
    example: 1,
  })
  closeDatePushCount!: number

  @Column(() => OpportunityType, {
    indexed: true,
    nullable: true,
    description: 'What the deal is about; null if not classified.',
    example: 'NEW_BUSINESS',
  })
  type!: OpportunityType | null

  @Column(() => LeadSource, {
    indexed: true,
    nullable: true,
    description: 'How the deal came about; null if unknown.',
    example: 'REFERRAL',
  })
  leadSource!: LeadSource | null

  @StructureColumn(() => OpportunityContactRole, {
    list: true,
    maxItems: 100,
    description:
      'The contacts of the deal with the parts that they play; empty if none are known. Setting it without `primaryContactId` also sets that.',
    example: [],
  })
  contactRoles!: OpportunityContactRole[]

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the primary contact of the deal, a live contact that the caller sees; null if none. A contact without a role in `contactRoles` gets one.',
    example: null,
  })
  primaryContactId!: string | null

  @NamesRecord('contact')
  @Column(() => [String], {
    writable: 'NEVER',
    derivedFrom: ['contactRoles'],
    decidesEdges: true,
    description: 'Ids of the contacts in `contactRoles`, for filters.',
    example: [],
  })
  contactIds!: string[]

  @Column(() => String, {
    nullable: true,
    max: 500,
    description: 'What will be done next, in one line; null if nothing is planned.',
    example: 'Demonstrate the offline mode on board',
  })
  nextStep!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'What the customer wants to buy, as free text; null if none.',
    example: 'Digital checklists for nine ferries, to start before the summer season.',
  })
  description!: string | null

  @Column(() => [String], {
    max: 255,
    maxItems: 100,
    description: 'Competitors in this deal; empty if none are known.',
    example: ['Harbourline Software'],
  })
  competitors!: string[]

  @StructureColumn(() => LineItem, {
    list: true,
    maxItems: linesMax,
    description:
      'What the deal is about, in `currency`; empty if not known yet. Tax and discounts on the whole deal are part of its quotes.',
    example: [],
  })
  lineItems!: LineItem[]

  @Column(() => Float, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 100,
    description: 'Health of the deal, from 0 (worst) to 100 (best); null if unknown. Only a client changes it.',
    example: 71,
  })
  healthScore!: number | null

  @Column(() => DateTime, lastActivityDate('opportunity'))
  lastActivityDate!: string | null

  @Column(() => DateTime, nextActivityDate('opportunity'))
  nextActivityDate!: string | null
}
