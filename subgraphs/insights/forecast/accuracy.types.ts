import { ArgsType, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from '../quota/quota.enumerations.ts'

const hidden =
  'Null if the caller does not see the records of everybody whose deals it has, if the profile hides a field of deals that it needs, or without an exchange rate.'

@ObjectType({ description: 'What was forecast for one period, and what came of it.' })
export class PeriodAccuracy {
  @OutputField(() => String, { description: 'The period, which has ended.', example: '2026-Q4' })
  period!: string

  @OutputField(() => Decimal, {
    nullable: true,
    description: `\`closed\` and \`commit\` of the last forecast that was submitted before the end of the period. ${hidden}`,
    example: 240000,
  })
  forecast!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `What was won in the period by the users whose deals the forecast had. ${hidden}`,
    example: 225000,
  })
  actual!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `\`forecast\` less \`actual\`. ${hidden}`,
    example: 15000,
  })
  error!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `1 - |error| / actual, with four decimals; negative if the error is greater than \`actual\`. Null if \`actual\` is 0. ${hidden}`,
    example: 0.9333,
  })
  accuracy!: ExactNumber | null
}

@ObjectType({
  description: 'How well the forecasts of a user met what came, over the last six periods that have ended.',
})
@RequiresScope('FORECASTS')
export class ForecastAccuracy {
  @NamesRecord('user')
  @OutputField(() => ID, { description: 'Id of the user.', example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713' })
  userId!: string

  @OutputField(() => String, { description: 'Base currency of the organization.', example: 'USD' })
  currency!: string

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Mean accuracy of the periods that have one; null if none has.',
    example: 0.9333,
  })
  accuracy!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Mean error of the periods that have one: positive if too much was forecast. Null if none has.',
    example: 15000,
  })
  bias!: ExactNumber | null

  @OutputField(() => PeriodAccuracy, {
    list: true,
    maxItems: 6,
    description: 'The periods with a forecast, the latest first.',
  })
  periods!: PeriodAccuracy[]
}

@ArgsType()
export class AccuracyArgs {
  @InputField(() => PeriodType, {
    nullable: true,
    description: 'Length of the periods; null: quarters.',
    example: 'QUARTER',
  })
  periodType?: PeriodType | null

  @InputField(() => ID, { nullable: true, description: 'Only this user.' })
  userId?: string | null

  @InputField(() => Int, { minimum: 1, maximum: 100, default: 100, description: 'Number of users.' })
  limit!: number

  @InputField(() => Int, { minimum: 1, maximum: 1_000_000, default: 1, description: 'Number of the page, from 1.' })
  page!: number
}
