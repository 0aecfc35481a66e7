import { Field, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { UserReference } from '../../kernel/record/user-reference.ts'
import { Forecast } from './forecast.ts'

const hidden =
  'Null if the caller does not see the records of everybody whose deals it has, or if the profile hides a field of deals that it needs.'

@ObjectType({ description: 'What was submitted less what the deals say, by category.' })
export class ForecastDelta {
  @OutputField(() => Decimal, {
    nullable: true,
    description: '`commit` less `systemCommit`; null if `commit` is null.',
    example: 15000,
  })
  commit!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: '`bestCase` less `systemBestCase`; null if `bestCase` is null.',
    example: -15000,
  })
  bestCase!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: '`pipeline` less `systemPipeline`; null if `pipeline` is null.',
    example: 0,
  })
  pipeline!: ExactNumber | null
}

@ObjectType({
  description:
    'What a user expects of a period, for the user and everybody who reports to the user. Each submission is a revision, which never changes.',
})
@RequiresScope('FORECASTS')
export class SubmittedForecast extends Forecast {
  @Field(() => UserReference, { description: 'The user whose forecast it is.' })
  user!: UserReference

  @OutputField(() => Decimal, {
    nullable: true,
    description: `What was won in the period when it was submitted. ${hidden}`,
    example: 92000,
  })
  closed!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Sum of the open deals of the category COMMIT when it was submitted. ${hidden}`,
    example: 165000,
  })
  systemCommit!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Sum of the open deals of the category BEST_CASE when it was submitted. ${hidden}`,
    example: 75000,
  })
  systemBestCase!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Sum of the open deals of the category PIPELINE when it was submitted. ${hidden}`,
    example: 240000,
  })
  systemPipeline!: ExactNumber | null

  @OutputField(() => ForecastDelta, {
    nullable: true,
    description: `What was submitted less what the deals say, by category. ${hidden}`,
  })
  delta!: ForecastDelta | null
}
