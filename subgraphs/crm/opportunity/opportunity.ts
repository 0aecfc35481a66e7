import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { lastActivityDate, nextActivityDate } from '../activity-date-columns.ts'
import { ForecastCategory, LossReason, OpportunityType } from './opportunity.enumerations.ts'

@ObjectType({
  description:
    'A possible sale to an account, also called a deal. It moves through the stages of its pipeline until it is won or lost.',
})
@Directive('@key(fields: "id")')
@RequiresScope('OPPORTUNITIES')
@Entity({ schema: 'crm', tableName: 'opportunity' })
export class Opportunity extends OrgRecord {
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
    description: 'Expected value of the deal in `currency`, with at most the decimals of that currency; 0 if unknown.',
    example: 48000,
  })
  amount!: ExactNumber

  @Column(() => String, {
    indexed: true,
    max: 3,
    default: 'USD',
    description: 'Currency of `amount`, as an ISO 4217 code in upper case.',
    example: 'EUR',
  })
  currency!: string

  @Column(() => ID, {
    indexed: true,
    derivedDefault: 'the default pipeline of the organization',
    description:
      'Id of the pipeline whose stages the opportunity goes through. If another pipeline lacks the stage of the opportunity, a change must set both.',
    example: '019a0c5e-7f00-7f41-9c62-3b8d70e5a914',
  })
  pipelineId!: string

  @Column(() => String, {
    indexed: true,
    max: 63,
    derivedDefault: 'the first open stage of the pipeline',
    description:
      'API name of a stage of the pipeline. A change must name a stage in use; it sets `probability` and `forecastCategory` unless the same change gives them, and opens or closes the opportunity as the stage says.',
    example: 'PROPOSAL',
  })
  stage!: string

  @Column(() => Decimal, {
    indexed: true,
    minimum: 0,
    maximum: 100,
    decimals: 2,
    derivedDefault: 'the probability of the stage',
    description:
      'Probability of winning the deal in percent. Set with the stage; a value that a client gives stays until the next change of the stage. Always that of the stage in a closed opportunity.',
    example: 55,
  })
  probability!: ExactNumber

  @Column(() => Boolean, {
    writable: 'NEVER',
    description: 'True if a client set a `probability` other than that of the stage.',
    example: false,
  })
  probabilityOverridden!: boolean

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
    description: '`amount` in the base currency of the organization; null without an exchange rate.',
    example: null,
  })
  baseAmount!: ExactNumber | null

  @Column(() => Decimal, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Units of the base currency for one unit of `currency` in `baseAmount`; null without an exchange rate.',
    example: null,
  })
  exchangeRate!: ExactNumber | null

  @Column(() => ForecastCategory, {
    indexed: true,
    derivedDefault: 'the category of the stage',
    description:
      'How the opportunity counts in forecasts. Set with the stage until a client sets it; then it stays until the opportunity is closed or a client changes it again. CLOSED if won, OMITTED if lost.',
    example: 'BEST_CASE',
  })
  forecastCategory!: ForecastCategory

  @Column(() => Boolean, {
    writable: 'NEVER',
    description: 'True if a client set a `forecastCategory` other than that of the stage.',
    example: false,
  })
  forecastCategoryOverridden!: boolean

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'Why `forecastCategory` differs from that of the stage; null if none was given. Closing clears it.',
    example: null,
  })
  forecastReason!: string | null

  @Column(() => DateTime, {
    indexed: true,
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

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the most important contact of the deal; null if none.',
    example: null,
  })
  primaryContactId!: string | null

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

  @Column(() => LossReason, {
    indexed: true,
    nullable: true,
    description:
      'Why the deal was lost; null if unknown. The organization can require it when an opportunity is lost. Cleared when a lost opportunity is reopened or won.',
    example: null,
  })
  lossReason!: LossReason | null

  @Column(() => String, {
    nullable: true,
    max: 5000,
    description: 'Details of the loss; null if none. Cleared with `lossReason`.',
    example: null,
  })
  lossNotes!: string | null

  @Column(() => Boolean, {
    indexed: true,
    writable: 'NEVER',
    description: 'True if the opportunity is won or lost.',
    example: false,
  })
  isClosed!: boolean

  @Column(() => Boolean, {
    indexed: true,
    writable: 'NEVER',
    description: 'True if the opportunity is won.',
    example: false,
  })
  isWon!: boolean

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the opportunity was won or lost; null while it is open. Reopening clears it.',
    example: null,
  })
  closedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    writable: 'NEVER',
    description: 'When the opportunity entered its stage.',
    example: '2026-11-02T08:15:00.000Z',
  })
  stageEnteredAt!: string

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
