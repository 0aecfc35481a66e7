import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'

/** Null where the profile of the user who ran the simulation hides amounts. */
type Money = ExactNumber | null

const amount = (description: string): PropertyDecorator =>
  Field(() => Decimal, {
    nullable: true,
    description: `${description} Null if amounts of deals are hidden.`,
  }) as PropertyDecorator

@ObjectType({ description: 'The distribution of what is won, over all runs.' })
@RequiresScope('SIMULATIONS')
export class SimulationDistribution {
  @amount('Mean of all runs.')
  mean!: Money

  @amount('Standard deviation of the runs.')
  stdDev!: Money

  @amount('The 5th percentile by the nearest rank: 5 % of the runs have at most this.')
  p5!: Money

  @amount('The 10th percentile.')
  p10!: Money

  @amount('The 25th percentile.')
  p25!: Money

  @amount('The median.')
  p50!: Money

  @amount('The 75th percentile.')
  p75!: Money

  @amount('The 90th percentile.')
  p90!: Money

  @amount('The 95th percentile.')
  p95!: Money

  @amount('The smallest run.')
  min!: Money

  @amount('The largest run.')
  max!: Money

  @Field(() => Float, {
    nullable: true,
    description:
      'Share of the runs that reach the target, 0 to 1; null without a target, or if amounts of deals are hidden.',
  })
  probabilityOfTarget!: number | null
}

@ObjectType({
  description: 'One bar of the histogram of the runs. The upper end belongs to the next bar, except of the last one.',
})
@RequiresScope('SIMULATIONS')
export class SimulationBar {
  @Field(() => Decimal, { description: 'Lower end.' })
  from!: ExactNumber

  @Field(() => Decimal, { description: 'Upper end.' })
  to!: ExactNumber

  @Field(() => Int, { description: 'Number of runs.' })
  count!: number
}

@ObjectType({ description: 'What is won in one month of the horizon.' })
@RequiresScope('SIMULATIONS')
export class SimulationMonth {
  @Field(() => String, { description: 'The month, such as 2027-02.' })
  month!: string

  @amount('Mean of all runs, what is won already included.')
  mean!: Money

  @amount('The 10th percentile.')
  p10!: Money

  @amount('The median.')
  p50!: Money

  @amount('The 90th percentile.')
  p90!: Money
}

@ObjectType({ description: 'The deals of one stage.' })
@RequiresScope('SIMULATIONS')
export class SimulationStage {
  @NamesRecord('pipeline')
  @Field(() => ID, { description: 'Id of the pipeline.' })
  pipelineId!: string

  @Field(() => String, { description: 'API name of the stage.' })
  stage!: string

  @Field(() => Int, { description: 'Number of deals.' })
  deals!: number

  @amount('Sum of the amounts of the deals.')
  amount!: Money

  @amount('What they yield on average.')
  mean!: Money

  @Field(() => Float, { description: 'Number of deals that are won within the horizon on average.' })
  expectedWins!: number

  @Field(() => Float, { description: 'Win rate of the stage in the organization, 0 to 1, without assumptions.' })
  winRate!: number

  @Field(() => [Float], { description: "Wilson's 95 % interval of the win rate: its lower and upper end." })
  winRateInterval!: readonly number[]

  @Field(() => Int, { description: 'Closed deals of the last 18 months that the win rate is based on.' })
  sampleSize!: number
}

@ObjectType({ description: 'What deals yield that do not exist yet.' })
@RequiresScope('SIMULATIONS')
export class SimulationNewPipeline {
  @Field(() => Float, { description: 'New deals for each 30 days.' })
  dealsPer30Days!: number

  @Field(() => Float, { description: 'Their win rate, 0 to 1: that of the first stage of the default pipeline.' })
  winRate!: number

  @amount('What they yield on average.')
  mean!: Money
}

@ObjectType({ description: 'What one deal contributes.' })
@RequiresScope('SIMULATIONS')
export class SimulationContribution {
  @NamesRecord('opportunity')
  @Field(() => ID, { description: 'Id of the opportunity.' })
  opportunityId!: string

  @amount('What it yields on average.')
  meanContribution!: Money

  @Field(() => Decimal, {
    nullable: true,
    description:
      'By how much the median would be lower without it. Null except for the 500 deals that contribute most, and if amounts of deals are hidden.',
  })
  p50Delta!: Money
}

@ObjectType({ description: 'By how much a simulation differs from another one.' })
@RequiresScope('SIMULATIONS')
export class SimulationDifference {
  @amount('Difference of the means.')
  mean!: Money

  @amount('Difference of the 10th percentiles.')
  p10!: Money

  @amount('Difference of the medians.')
  p50!: Money

  @amount('Difference of the 90th percentiles.')
  p90!: Money

  @Field(() => Float, {
    nullable: true,
    description:
      'Difference of the probabilities of the target; null without a target, or if amounts of deals are hidden.',
  })
  probabilityOfTarget!: number | null
}

@ObjectType({
  description:
    'The outcome of a simulation, in the base currency. It depends on the deals, the assumptions and the seed only, so it contains no time.',
})
@RequiresScope('SIMULATIONS')
export class SimulationResult extends SimulationDistribution {
  @Field(() => String, { description: 'ISO 4217 code of the base currency.' })
  currency!: string

  @Field(() => Int, { description: 'Number of runs.' })
  iterations!: number

  @Field(() => Int, { description: 'Seed of the random numbers.' })
  seed!: number

  @Field(() => Int, { description: 'Number of open deals in the simulation.' })
  deals!: number

  @Field(() => Int, {
    description: 'Deals, open ones and won ones, that are left out because their currency has no exchange rate.',
  })
  unconverted!: number

  @Field(() => Float, { description: 'Number of open deals that are won within the horizon on average.' })
  expectedWins!: number

  @Field(() => Decimal, {
    nullable: true,
    description:
      'What was won on days of the horizon already; it is part of every run. Null, and not part of the runs, if the profile hides when deals were closed; null too if amounts are hidden.',
  })
  closedWon!: Money

  @Field(() => [SimulationBar], {
    description: 'At most 20 bars of equal width; empty if amounts of deals are hidden.',
  })
  histogram!: SimulationBar[]

  @Field(() => [SimulationMonth], { description: 'By month of the horizon.' })
  byMonth!: SimulationMonth[]

  @Field(() => [SimulationStage], { description: 'By stage, as the assumptions have left it.' })
  byStage!: SimulationStage[]

  @Field(() => SimulationNewPipeline, {
    nullable: true,
    description:
      'Deals that do not exist yet; null if none are expected: without an assumption, from 10 won deals and 90 days of history on.',
  })
  newPipeline!: SimulationNewPipeline | null

  @Field(() => [SimulationContribution], {
    description: 'Every open deal of the simulation that the caller sees, in the order of their ids.',
  })
  dealContributions!: SimulationContribution[]

  @Field(() => SimulationDistribution, {
    nullable: true,
    description: 'The same simulation without assumptions; null for the baseline itself.',
  })
  baseline!: SimulationDistribution | null

  @Field(() => SimulationDifference, {
    nullable: true,
    description: 'The difference to the baseline; null for the baseline itself.',
  })
  delta!: SimulationDifference | null

  @Field(() => String, {
    description: 'Digest of everything that the result depends on: results with the same digest are equal.',
  })
  dataVersion!: string
}

export const ScenarioWarningCode = enumeration(
  'ScenarioWarningCode',
  'What is missing in an answer about a scenario.',
  {
    RESULT_HIDDEN: 'The result contains more than the caller may see. Run the scenario, or an own one.',
  },
)
export type ScenarioWarningCode = keyof typeof ScenarioWarningCode

@ObjectType({ description: 'Why something is missing in an answer about a scenario.' })
@RequiresScope('SIMULATIONS')
export class ScenarioWarning {
  @Field(() => ScenarioWarningCode, { description: 'What is missing.' })
  code!: ScenarioWarningCode

  @Field(() => String, { description: 'The reason in words.' })
  message!: string
}
