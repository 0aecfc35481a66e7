import { Arg, Args, Ctx, FieldResolver, Float, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { withoutUnused, type FilterInput } from '../../kernel/record/filter-input.ts'
import { StatsFilterArg } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { baselineOf, compareScenarios } from './compare.ts'
import { ScenarioCompareInput, ScenarioComparison } from './compare.types.ts'
import { shownResult } from './result-store.ts'
import { ScenarioWarning, SimulationResult } from './result.types.ts'
import { createScenario, deleteScenario } from './scenario.actions.ts'
import {
  PipelineBaselineArgs,
  ScenarioConnection,
  ScenarioConnectionArgs,
  ScenarioCreateInput,
  ScenarioFilter,
  ScenarioPage,
  ScenarioPageArgs,
} from './scenario.inputs.ts'
import { scenarioTables } from './scenario.migrations.ts'
import { progressOf } from './progress.ts'
import { scenario } from './scenario.record.ts'
import { cancelRun, runScenario } from './scenario-run.ts'
import { deleteOldRuns, failLostRuns, scenarioRunQueue } from './scenario-run.queue.ts'
import { ScenarioStats, scenarioStats } from './scenario.stats.ts'
import { Scenario } from './scenario.ts'

const scenarios = recordsOf(scenario)

@Resolver(() => Scenario)
export class ScenarioResolver {
  @Query(() => Scenario, { nullable: true, description: 'Returns one scenario.' })
  scenario(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return scenarios.one(ctx, id, info)
  }

  @Query(() => ScenarioPage, { description: 'Scenarios that the caller sees.' })
  scenarioList(@Args(() => ScenarioPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return scenarios.page(ctx, args, info)
  }

  @Query(() => ScenarioConnection, { description: 'Scenarios that the caller sees, in the form of a connection.' })
  scenarioConnection(
    @Args(() => ScenarioConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return scenarios.connection(ctx, args, info)
  }

  @Query(() => ScenarioStats, { description: 'Statistics of the scenarios that the caller sees, and of their runs.' })
  @RequiresScopes('READ_SIMULATIONS')
  scenarioStats(@StatsFilterArg(scenario, ScenarioFilter) filter: FilterInput | null, @Ctx() ctx: RequestContext) {
    return scenarioStats(ctx, withoutUnused(filter ?? null))
  }

  @Query(() => SimulationResult, {
    description:
      'What is expected to be won, over all open deals that the caller sees: the simulation without assumptions.',
  })
  @RequiresScopes('READ_SIMULATIONS')
  pipelineBaseline(@Args(() => PipelineBaselineArgs) args: PipelineBaselineArgs, @Ctx() ctx: RequestContext<'work'>) {
    return baselineOf(ctx, args)
  }

  @Query(() => ScenarioComparison, {
    description:
      'Runs 2 to 5 scenarios on one snapshot of the deals with the same random numbers, and returns their differences to the first one.',
  })
  @RequiresScopes('READ_SIMULATIONS')
  scenarioCompare(
    @Arg('input', () => ScenarioCompareInput, { description: 'What is compared.' }) input: ScenarioCompareInput,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return compareScenarios(ctx, input)
  }

  @FieldResolver(() => Float, {
    description: 'Share of the run that is done, 0 to 1: 1 if it is completed, 0 if it never ran or has failed.',
  })
  progress(@Root() { id }: Scenario, @Ctx() ctx: RequestContext) {
    return progressOf(ctx, id)
  }

  @FieldResolver(() => SimulationResult, {
    nullable: true,
    description:
      'The result of the last completed run; null if there was none, or if the caller sees less than the user who ran it (`warnings`).',
  })
  async result(@Root() { id }: Scenario, @Ctx() ctx: RequestContext) {
    return (await shownResult(ctx, id)).result
  }

  @FieldResolver(() => [ScenarioWarning], { description: 'What is missing in the answer; empty if nothing.' })
  async warnings(@Root() { id }: Scenario, @Ctx() ctx: RequestContext) {
    return (await shownResult(ctx, id)).warnings
  }

  @Mutation(() => Scenario, { description: 'Creates a scenario. It is computed when it is run.' })
  @RequiresScope('SIMULATIONS')
  scenarioCreate(@InputArg(() => ScenarioCreateInput) input: object, @Ctx() ctx: RequestContext) {
    return createScenario(ctx, input)
  }

  @Mutation(() => ID, { description: 'Deletes a scenario. While it is running: INVALID_STATE.' })
  @RequiresScope('SIMULATIONS')
  scenarioDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteScenario(ctx, id, expectedVersion)
  }

  @Mutation(() => Scenario, {
    description:
      'Runs a scenario over the deals that the caller sees. Waits up to two seconds, with an idempotency key not at all; a longer run goes on, and the scenario is RUNNING meanwhile.',
  })
  @RequiresScope('SIMULATIONS')
  scenarioRun(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return runScenario(ctx, id)
  }

  @Mutation(() => Scenario, {
    description: 'Cancels the run of a scenario that is RUNNING: it has the status and the result that it had before.',
  })
  @RequiresScope('SIMULATIONS')
  scenarioCancel(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return cancelRun(ctx, id)
  }
}

export const scenarioResource: Resource = {
  resolver: ScenarioResolver,
  entities: { Scenario: scenario },
  migrations: [scenarioTables],
  queues: [scenarioRunQueue],
  jobs: [deleteOldRuns, failLostRuns],
  rest: restArea(scenario, {
    path: 'pipeline-simulation/scenarios',
    folder: 'pipeline-simulation',
    filters: ['status', 'ownerId', updatedAfter],
  }),
}
