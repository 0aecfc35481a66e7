import { ArgsType, Int } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { connectionOf, createInputOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { InputField } from '../../kernel/record/declared-value.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { Horizon } from './horizon.inputs.ts'
import { iterationsBounds, iterationsDefault, Scenario, seedBounds, seedDefault, targetBounds } from './scenario.ts'

export const ScenarioFilter = filterOf('ScenarioFilter', Scenario)
const ScenarioOrder = orderOf('ScenarioOrder', Scenario)
export const ScenarioCreateInput = createInputOf('ScenarioCreateInput', Scenario)
export const ScenarioPage = pageOf('ScenarioPage', Scenario, 'SIMULATIONS')
export const ScenarioConnection = connectionOf('Scenario', Scenario, 'SIMULATIONS')
export const ScenarioPageArgs = pageArgs(ScenarioFilter, ScenarioOrder)
export const ScenarioConnectionArgs = connectionArgs(ScenarioFilter, ScenarioOrder)

@ArgsType()
export class PipelineBaselineArgs extends Horizon {
  @InputField(() => Int, {
    ...iterationsBounds,
    default: iterationsDefault,
    description: 'Number of runs.',
    example: 10_000,
  })
  iterations!: number

  @InputField(() => Int, {
    ...seedBounds,
    default: seedDefault,
    description: 'Seed of the random numbers.',
    example: 1,
  })
  seed!: number

  @InputField(() => Decimal, {
    nullable: true,
    ...targetBounds,
    description: 'Amount in the base currency whose probability is computed; null: none.',
    example: 250_000,
  })
  target?: ExactNumber | null
}
