import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from '../quota/quota.enumerations.ts'

const rest = 'an amount in `currency` of 0 or more; null if it was not forecast'

export const notesMax = 10_000

@ObjectType({
  description: 'A forecast as it is stored.',
})
@RequiresScope('FORECASTS')
@Entity({ schema: 'insights', tableName: 'forecast' })
export class Forecast {
  @Column(() => ID, { description: 'Id of the revision.', example: '019a0c5e-7f00-7e12-9a40-3d7c51b8e204' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.', example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01' })
  organizationId!: string

  @Column(() => ID, {
    description: 'Id of the user whose forecast it is.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  userId!: string

  @Column(() => String, {
    max: 7,
    description: 'The period: a month `2027-02`, a fiscal quarter `2027-Q1` or a fiscal year `2027`.',
    example: '2027-Q1',
  })
  period!: string

  @Column(() => PeriodType, { description: 'Length of the period, as its text says.', example: 'QUARTER' })
  periodType!: PeriodType

  @Column(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: `What the user commits to win besides what is won: ${rest}.`,
    example: 180000,
  })
  commit!: ExactNumber | null

  @Column(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: `What the user may win in the best case besides what is won and committed: ${rest}.`,
    example: 60000,
  })
  bestCase!: ExactNumber | null

  @Column(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: `What else is open: ${rest}.`,
    example: 240000,
  })
  pipeline!: ExactNumber | null

  @Column(() => String, { max: 3, description: 'Currency of the amounts, as an ISO 4217 code.', example: 'USD' })
  currency!: string

  @Column(() => String, {
    nullable: true,
    max: notesMax,
    description: 'What the user says about it; null if nothing.',
    example: 'The framework agreement with the port authority slips into Q2.',
  })
  notes!: string | null

  @Column(() => Int, {
    description:
      'Number of the submission for the user and the period, from 1. The highest one is the current forecast.',
    example: 2,
  })
  revision!: number

  @Column(() => DateTime, { description: 'When it was submitted.', example: '2027-01-18T08:15:00.000Z' })
  submittedAt!: string

  @NamesRecord('user')
  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user who submitted it; null if the platform did.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  submittedById!: string | null

  @Column(() => Decimal, { internal: true })
  countedClosed!: ExactNumber

  @Column(() => Decimal, { internal: true })
  countedCommit!: ExactNumber

  @Column(() => Decimal, { internal: true })
  countedBestCase!: ExactNumber

  @Column(() => Decimal, { internal: true })
  countedPipeline!: ExactNumber

  /** The user and everybody who reported to the user then: whose deals the counted amounts have. */
  @Column(() => [String], { internal: true, max: 36, maxItems: 100_000 })
  countedUserIds!: string[]
}
