import { ArgsType, ID, InputType, Int } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField } from '../../kernel/record/declared-value.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from '../quota/quota.enumerations.ts'
import { notesMax } from './forecast.ts'

const fits = 'Length of the period; it must fit the text. Null: as the text says.'

@InputType({ description: 'A forecast to submit. Each submission is a new revision.' })
export class ForecastInput {
  @InputField(() => ID, {
    nullable: true,
    description:
      'Id of an active user of the organization; null: the caller. For others: owners, admins and the managers above.',
    example: null,
  })
  userId?: string | null

  @InputField(() => String, {
    max: 7,
    description: 'The period: a month `2027-02`, a fiscal quarter `2027-Q1` or a fiscal year `2027`.',
    example: '2027-Q1',
  })
  period!: string

  @InputField(() => PeriodType, { nullable: true, description: fits, example: 'QUARTER' })
  periodType?: PeriodType | null

  @InputField(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: 'What the user commits to win besides what is won; null: no forecast of it.',
    example: 180000,
  })
  commit?: ExactNumber | null

  @InputField(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: 'What the user may win in the best case besides what is won and committed; null: no forecast of it.',
    example: 60000,
  })
  bestCase?: ExactNumber | null

  @InputField(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: 'What else is open; null: no forecast of it.',
    example: 240000,
  })
  pipeline?: ExactNumber | null

  @InputField(() => String, {
    nullable: true,
    max: 3,
    description: 'ISO 4217 code in upper case. Null: the base currency of the organization.',
    example: 'USD',
  })
  currency?: string | null

  @InputField(() => String, {
    nullable: true,
    max: notesMax,
    description: 'What the user says about it.',
    example: 'The framework agreement with the port authority slips into Q2.',
  })
  notes?: string | null
}

@ArgsType()
export class ForecastListArgs {
  @InputField(() => ID, { nullable: true, description: 'Only forecasts of this user.' })
  userId?: string | null

  @InputField(() => String, {
    nullable: true,
    max: 7,
    description: 'Only forecasts of this period.',
    example: '2027-Q1',
  })
  period?: string | null

  @InputField(() => Int, {
    minimum: 1,
    maximum: 100,
    default: 100,
    description: 'Number of forecasts. An addition to the specification.',
  })
  limit!: number

  @InputField(() => Int, {
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
    description: 'Number of the page, from 1. An addition to the specification.',
  })
  page!: number
}

@ArgsType()
export class RollupArgs {
  @InputField(() => String, {
    nullable: true,
    max: 7,
    description: 'The period; null: the one of today.',
    example: '2027-Q1',
  })
  period?: string | null

  @InputField(() => PeriodType, { nullable: true, description: fits, example: 'QUARTER' })
  periodType?: PeriodType | null
}
