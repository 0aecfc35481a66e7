import { ArgsType, Field, Int } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf } from '../../kernel/record/inputs.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { iterationsDefault, Scenario, seedDefault } from './scenario.ts'

const ScenarioFilter = filterOf('ScenarioFilter', Scenario)
const ScenarioOrder = orderOf('ScenarioOrder', Scenario)
export const ScenarioCreateInput = createInputOf('ScenarioCreateInput', Scenario)
export const ScenarioPage = pageOf('ScenarioPage', Scenario, '*')
export const ScenarioConnection = connectionOf('Scenario', Scenario, '*')
export const ScenarioPageArgs = pageArgs(ScenarioFilter, ScenarioOrder)
export const ScenarioConnectionArgs = connectionArgs(ScenarioFilter, ScenarioOrder)

@ArgsType()
export class PipelineBaselineArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Month, fiscal quarter or fiscal year, such as 2027-Q1; null: see `horizonStart`.',
  })
  period?: string | null

  @Field(() => DateTime, { nullable: true, description: 'First day that counts; a time is cut off. Null: today.' })
  horizonStart?: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'Last day that counts; a time is cut off. Null: 90 days after the first.',
  })
  horizonEnd?: string | null

  @Field(() => Int, { defaultValue: iterationsDefault, description: 'Number of runs, 1000 to 100000.' })
  iterations!: number

  @Field(() => Int, { defaultValue: seedDefault, description: 'Seed of the random numbers, 0 to 2147483647.' })
  seed!: number

  @Field(() => Decimal, {
    nullable: true,
    description: 'Amount in the base currency whose probability is computed, at least 0; null: none.',
  })
  target?: ExactNumber | null
}
