import { ArgsType, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from '../quota/quota.enumerations.ts'

export const ForecastSnapshotSource = enumeration('ForecastSnapshotSource', 'Why a snapshot was taken.', {
  DAILY: 'At midnight of the organization, for the periods of the day.',
  SUBMISSION: 'When a forecast of the user was submitted.',
  MANUAL: 'On request of an operator; the platform takes none by itself.',
  PERIOD_CLOSE: 'At the midnight at which the period ended.',
})
export type ForecastSnapshotSource = keyof typeof ForecastSnapshotSource

@ObjectType({ description: 'Sums of the own deals of a user.' })
export class ForecastTotals {
  @OutputField(() => Decimal, { description: 'What was won in the period.', example: 92000 })
  closed!: ExactNumber

  @OutputField(() => Decimal, { description: 'Open deals of the category COMMIT.', example: 165000 })
  commit!: ExactNumber

  @OutputField(() => Decimal, { description: 'Open deals of the category BEST_CASE.', example: 75000 })
  bestCase!: ExactNumber

  @OutputField(() => Decimal, { description: 'Open deals of the category PIPELINE.', example: 240000 })
  pipeline!: ExactNumber

  @OutputField(() => Decimal, { description: 'Open deals times their probabilities.', example: 210000 })
  weighted!: ExactNumber
}

const hidden = 'Null if the profile hides a field of deals that it needs.'

@ObjectType({ description: 'What the own deals of a user said about a period at one moment. It never changes.' })
@RequiresScope('FORECASTS')
export class ForecastSnapshot {
  @OutputField(() => ID, { description: 'Id of the snapshot.', example: '019a0c5e-7f00-7e55-8b1d-7c2f90a4d318' })
  id!: string

  @OutputField(() => DateTime, { description: 'When it was taken.', example: '2027-01-18T05:00:00.000Z' })
  takenAt!: string

  @OutputField(() => ForecastSnapshotSource, { description: 'Why it was taken.', example: 'DAILY' })
  source!: ForecastSnapshotSource

  @NamesRecord('user')
  @OutputField(() => ID, { description: 'Id of the user.', example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713' })
  userId!: string

  @OutputField(() => String, { description: 'The month, fiscal quarter or fiscal year.', example: '2027-Q1' })
  period!: string

  @OutputField(() => PeriodType, { description: 'Length of the period.', example: 'QUARTER' })
  periodType!: PeriodType

  @OutputField(() => String, { description: 'Base currency of the organization at that time.', example: 'USD' })
  currency!: string

  @OutputField(() => ForecastTotals, { nullable: true, description: `Sums of the deals. ${hidden}` })
  totals!: ForecastTotals | null

  @OutputField(() => Int, { nullable: true, description: `Number of the deals. ${hidden}`, example: 14 })
  opportunities!: number | null

  @OutputField(() => String, {
    nullable: true,
    description: `SHA-256 over the deals with their amounts, currencies, categories and dates, in hexadecimal digits: equal if nothing has changed. ${hidden}`,
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  dealLinesHash!: string | null
}

@ArgsType()
export class SnapshotArgs {
  @InputField(() => String, {
    nullable: true,
    max: 7,
    description: 'Only snapshots of this period.',
    example: '2027-Q1',
  })
  period?: string | null

  @InputField(() => PeriodType, { nullable: true, description: 'Only periods of this length.', example: 'QUARTER' })
  periodType?: PeriodType | null

  @InputField(() => ID, { nullable: true, description: 'Only snapshots of this user.' })
  userId?: string | null

  @InputField(() => ForecastSnapshotSource, { nullable: true, description: 'Only those with this source.' })
  source?: ForecastSnapshotSource | null

  @InputField(() => Int, { minimum: 1, maximum: 100, default: 100, description: 'Number of snapshots.' })
  limit!: number

  @InputField(() => Int, {
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
    description: 'Number of the page, from 1. An addition to the specification.',
  })
  page!: number
}
