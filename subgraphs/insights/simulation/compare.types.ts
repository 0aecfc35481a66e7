import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { structureInput } from '../../kernel/record/structure.ts'
import { SimulationDifference, SimulationResult } from './result.types.ts'
import { ScenarioAdjustment, ScenarioFilters } from './scenario.structures.ts'

@InputType({ description: 'A scenario that is compared without being stored.' })
export class ComparedScenarioInput {
  @Field(() => String, { nullable: true, description: 'Name in the answer, at most 255 characters; null: its number.' })
  name?: string | null

  @Field(() => [structureInput(ScenarioAdjustment)], {
    description: 'Its assumptions, at most 50; empty for the expectation as it is.',
  })
  adjustments!: ScenarioAdjustment[]
}

@InputType({
  description:
    'What is compared: stored scenarios by their ids, or assumptions. Filters, horizon, runs, seed and target of stored scenarios are those of the first one, and must not be given.',
})
export class ScenarioCompareInput {
  @Field(() => [ID], { nullable: true, description: 'Ids of 2 to 5 scenarios that the caller sees.' })
  scenarioIds?: string[] | null

  @Field(() => [ComparedScenarioInput], {
    nullable: true,
    description: '2 to 5 scenarios that are not stored, in place of `scenarioIds`.',
  })
  scenarios?: ComparedScenarioInput[] | null

  @Field(() => structureInput(ScenarioFilters), {
    nullable: true,
    description: 'The deals; null: all open deals that the caller sees.',
  })
  filters?: Partial<ScenarioFilters> | null

  @Field(() => String, {
    nullable: true,
    description: 'Month, fiscal quarter or fiscal year, such as 2027-Q1; null: see `horizonStart`.',
  })
  period?: string | null

  @Field(() => DateTime, { nullable: true, description: 'First day that counts; null: today.' })
  horizonStart?: string | null

  @Field(() => DateTime, { nullable: true, description: 'Last day that counts; null: 90 days after the first.' })
  horizonEnd?: string | null

  @Field(() => Int, { nullable: true, description: 'Number of runs, 1000 to 100000; null: 10000.' })
  iterations?: number | null

  @Field(() => Int, { nullable: true, description: 'Seed of the random numbers, 0 to 2147483647; null: 1.' })
  seed?: number | null

  @Field(() => Decimal, {
    nullable: true,
    description: 'Amount whose probability is computed, at least 0; null: none.',
  })
  target?: ExactNumber | null
}

@ObjectType({ description: 'One of the compared scenarios.' })
@RequiresScope('*')
export class ComparedScenario {
  @Field(() => ID, { nullable: true, description: 'Id of the scenario; null if it is not stored.' })
  scenarioId!: string | null

  @Field(() => String, { description: 'Its name.' })
  name!: string

  @Field(() => SimulationResult, { description: 'Its result.' })
  result!: SimulationResult
}

@ObjectType({ description: 'By how much one of the compared scenarios differs from the first one.' })
@RequiresScope('*')
export class ScenarioDifference extends SimulationDifference {
  @Field(() => Int, { description: 'Index of the first scenario: 0.' })
  fromIndex!: number

  @Field(() => Int, { description: 'Index of the other scenario.' })
  toIndex!: number

  @Field(() => ID, { nullable: true, description: 'Id of the first scenario; null if it is not stored.' })
  fromScenarioId!: string | null

  @Field(() => ID, { nullable: true, description: 'Id of the other scenario; null if it is not stored.' })
  toScenarioId!: string | null
}

@ObjectType({ description: 'Scenarios on one snapshot of the deals, with the same random numbers.' })
@RequiresScope('*')
export class ScenarioComparison {
  @Field(() => [ComparedScenario], { description: 'The scenarios in the order in which they were asked for.' })
  scenarios!: ComparedScenario[]

  @Field(() => [ScenarioDifference], { description: 'The others, in the same order, minus the first one.' })
  differences!: ScenarioDifference[]
}
