import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { structureInput } from '../../kernel/record/structure.ts'
import { Horizon } from './horizon.inputs.ts'
import { SimulationDifference, SimulationResult } from './result.types.ts'
import { adjustmentsMax, iterationsBounds, seedBounds, targetBounds } from './scenario.ts'
import { ScenarioAdjustment, ScenarioFilters } from './scenario.structures.ts'

@InputType({ description: 'A scenario that is compared without being stored.' })
export class ComparedScenarioInput {
  @InputField(() => String, {
    nullable: true,
    max: 255,
    filled: true,
    description: 'Name in the answer; null: its number.',
    example: 'More wins',
  })
  name?: string | null

  @InputField(() => structureInput(ScenarioAdjustment), {
    list: true,
    maxItems: adjustmentsMax,
    description: 'Its assumptions; empty for the expectation as it is.',
    example: [{ target: 'WIN_RATE', operation: 'MULTIPLY', value: 1.1, scope: { stage: 'NEGOTIATION' } }],
  })
  adjustments!: ScenarioAdjustment[]
}

/** How many scenarios are compared. */
const compared = { list: true, minItems: 2, maxItems: 5 } as const

@InputType({
  description:
    'What is compared: stored scenarios by their ids, or assumptions. Filters, horizon, runs, seed and target of stored scenarios are those of the first one, and must not be given.',
})
export class ScenarioCompareInput extends Horizon {
  @InputField(() => ID, {
    ...compared,
    nullable: true,
    description: 'Ids of scenarios that the caller sees; null: `scenarios` has them.',
    example: null,
  })
  scenarioIds?: string[] | null

  @InputField(() => ComparedScenarioInput, {
    ...compared,
    nullable: true,
    description: 'Scenarios that are not stored; null: `scenarioIds` names them.',
    example: [
      { name: 'As it is', adjustments: [] },
      {
        name: 'More wins',
        adjustments: [{ target: 'WIN_RATE', operation: 'MULTIPLY', value: 1.1, scope: { stage: 'NEGOTIATION' } }],
      },
    ],
  })
  scenarios?: ComparedScenarioInput[] | null

  @InputField(() => structureInput(ScenarioFilters), {
    nullable: true,
    description: 'The deals; null: all open deals that the caller sees.',
    example: null,
  })
  filters?: Partial<ScenarioFilters> | null

  @InputField(() => Int, {
    ...iterationsBounds,
    nullable: true,
    description: 'Number of runs; null: 10000.',
    example: 10_000,
  })
  iterations?: number | null

  @InputField(() => Int, {
    ...seedBounds,
    nullable: true,
    description: 'Seed of the random numbers; null: 1.',
    example: 1,
  })
  seed?: number | null

  @InputField(() => Decimal, {
    nullable: true,
    ...targetBounds,
    description: 'Amount in the base currency whose probability is computed; null: none.',
    example: 250_000,
  })
  target?: ExactNumber | null
}

@ObjectType({ description: 'One of the compared scenarios.' })
@RequiresScope('SIMULATIONS')
export class ComparedScenario {
  @NamesRecord('scenario')
  @Field(() => ID, { nullable: true, description: 'Id of the scenario; null if it is not stored.' })
  scenarioId!: string | null

  @Field(() => String, { description: 'Its name.' })
  name!: string

  @Field(() => SimulationResult, { description: 'Its result.' })
  result!: SimulationResult
}

@ObjectType({ description: 'By how much one of the compared scenarios differs from the first one.' })
@RequiresScope('SIMULATIONS')
export class ScenarioDifference extends SimulationDifference {
  @Field(() => Int, { description: 'Index of the first scenario: 0.' })
  fromIndex!: number

  @Field(() => Int, { description: 'Index of the other scenario.' })
  toIndex!: number

  @NamesRecord('scenario')
  @Field(() => ID, { nullable: true, description: 'Id of the first scenario; null if it is not stored.' })
  fromScenarioId!: string | null

  @NamesRecord('scenario')
  @Field(() => ID, { nullable: true, description: 'Id of the other scenario; null if it is not stored.' })
  toScenarioId!: string | null
}

@ObjectType({ description: 'Scenarios on one snapshot of the deals, with the same random numbers.' })
@RequiresScope('SIMULATIONS')
export class ScenarioComparison {
  @Field(() => [ComparedScenario], { description: 'The scenarios in the order in which they were asked for.' })
  scenarios!: ComparedScenario[]

  @Field(() => [ScenarioDifference], { description: 'The others, in the same order, minus the first one.' })
  differences!: ScenarioDifference[]
}
