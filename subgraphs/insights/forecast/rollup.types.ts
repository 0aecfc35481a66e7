import { Field, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal, Json } from '../../kernel/record/scalars.ts'
import { PeriodType } from '../quota/quota.enumerations.ts'

const hidden = 'Null if the profile hides a field of deals that it needs.'

@ObjectType({ description: 'Sums of the deals of some users in a period, in the base currency, and their quotas.' })
export class ForecastSums {
  @OutputField(() => Decimal, { nullable: true, description: `What was won in the period. ${hidden}`, example: 92000 })
  closed!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Open deals of the category COMMIT. ${hidden}`,
    example: 165000,
  })
  commit!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Open deals of the category BEST_CASE. ${hidden}`,
    example: 75000,
  })
  bestCase!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Open deals of the category PIPELINE. ${hidden}`,
    example: 240000,
  })
  pipeline!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `Open deals times their probabilities. ${hidden}`,
    example: 210000,
  })
  weighted!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `\`closed\` and \`commit\`. ${hidden}`,
    example: 257000,
  })
  commitTotal!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `\`closed\`, \`commit\` and \`bestCase\`. ${hidden}`,
    example: 332000,
  })
  bestCaseTotal!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Sum of the quotas of the users for the period, at the rates of today; null without a quota.',
    example: 400000,
  })
  quota!: ExactNumber | null
}

@ObjectType({ description: 'What was submitted, in the base currency at the rates of today.' })
export class ForecastAmounts {
  @OutputField(() => Decimal, { description: 'What is committed besides what is won.', example: 180000 })
  commit!: ExactNumber

  @OutputField(() => Decimal, { description: 'What may be won besides that in the best case.', example: 60000 })
  bestCase!: ExactNumber

  @OutputField(() => Decimal, { description: 'What else is open.', example: 240000 })
  pipeline!: ExactNumber
}

@ObjectType({ description: 'One node of a rollup.' })
export abstract class RollupNode {
  @OutputField(() => ForecastSums, { description: 'The own deals and the own quota.' })
  own!: ForecastSums

  @OutputField(() => ForecastSums, { description: 'The own ones and those of everybody below.' })
  team!: ForecastSums

  @OutputField(() => ForecastAmounts, {
    nullable: true,
    description:
      'The current forecast of the user; without one the sum of what was submitted below. Null if nothing was submitted.',
  })
  submitted!: ForecastAmounts | null

  @OutputField(() => ForecastAmounts, {
    nullable: true,
    description:
      'The current forecast of the user less what was submitted directly below; null if one of them is missing.',
  })
  managerAdjustment!: ForecastAmounts | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: `\`team.closed\` in percent of \`team.quota\`, with two decimals; null without a quota or if it is 0. ${hidden}`,
    example: 23,
  })
  attainmentPercent!: ExactNumber | null
}

@ObjectType({ description: 'A user in a rollup, with the sums of everybody below.' })
@RequiresScope('FORECASTS')
export class ForecastRollupUser extends RollupNode {
  @NamesRecord('user')
  @OutputField(() => ID, { description: 'Id of the user.', example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713' })
  userId!: string

  @OutputField(() => String, { description: 'Name of the user.', example: 'Ines Duarte' })
  name!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user under whom this one hangs; null: under the root.',
    example: null,
  })
  parentUserId!: string | null

  @OutputField(() => Int, { description: 'Levels below the root, from 1.', example: 1 })
  depth!: number
}

@ObjectType({
  description:
    'The deals of a period by who reports to whom. Each user that the caller sees is in it once, and each deal counts for its owner of today.',
})
@RequiresScope('FORECASTS')
export class ForecastRollup extends RollupNode {
  @OutputField(() => ID, { nullable: true, description: 'Null: the root is no user.', example: null })
  userId!: string | null

  @OutputField(() => String, { nullable: true, description: 'Null: the root is no user.', example: null })
  name!: string | null

  @OutputField(() => String, { description: 'The month, fiscal quarter or fiscal year.', example: '2027-Q1' })
  period!: string

  @OutputField(() => PeriodType, { description: 'Length of the period.', example: 'QUARTER' })
  periodType!: PeriodType

  @OutputField(() => String, { description: 'Base currency of the organization.', example: 'USD' })
  currency!: string

  @OutputField(() => Int, {
    nullable: true,
    description: `Number of deals, quotas and forecasts that are left out, because there is no exchange rate. ${hidden}`,
    example: 0,
  })
  unconverted!: number | null

  @OutputField(() => Boolean, {
    description: 'True if the caller does not see the records of everybody.',
    example: false,
  })
  isPartial!: boolean

  @Field(() => [ForecastRollupUser], {
    description: 'The users, each after the one under whom it hangs, then by name.',
  })
  users!: ForecastRollupUser[]

  @Field(() => [Json], {
    description:
      'The users below the root as a tree: objects with the fields of `ForecastRollupUser`, each with its own `children`.',
  })
  children!: unknown[]
}
