import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { submitForecast } from './forecast.actions.ts'
import { ForecastInput, ForecastListArgs, RollupArgs } from './forecast.inputs.ts'
import { forecastList } from './forecast-list.ts'
import { forecastTable } from './forecast.migrations.ts'
import { forecast } from './forecast.record.ts'
import { forecastRollup } from './rollup.ts'
import { ForecastRollup } from './rollup.types.ts'
import { forecastAccuracy } from './accuracy.ts'
import { AccuracyArgs, ForecastAccuracy } from './accuracy.types.ts'
import { forecastSnapshot } from './snapshot.job.ts'
import { forecastSnapshots } from './snapshot-list.ts'
import { snapshotTables } from './snapshot.migrations.ts'
import { ForecastSnapshot, SnapshotArgs } from './snapshot.types.ts'
import { SubmittedForecast } from './submitted-forecast.ts'

@Resolver(() => SubmittedForecast)
export class ForecastResolver {
  @Query(() => [SubmittedForecast], {
    description:
      'The forecasts of the users whose records the caller sees: every revision, the latest submission first.',
  })
  @RequiresScopes('READ_FORECASTS')
  forecastList(@Args(() => ForecastListArgs) args: ForecastListArgs, @Ctx() ctx: RequestContext) {
    return forecastList(ctx, args)
  }

  @Query(() => ForecastRollup, {
    description:
      'The deals, quotas and current forecasts of a period by who reports to whom (`managerId`). Without `period` the current period of the type `periodType`, or the current quarter.',
  })
  @RequiresScopes('READ_FORECASTS')
  forecastRollup(@Args(() => RollupArgs) args: RollupArgs, @Ctx() ctx: RequestContext) {
    return forecastRollup(ctx, args)
  }

  @Query(() => [ForecastSnapshot], {
    description:
      'What the own deals of users said about periods: daily for the month, quarter and year of the day, at the end of a period, and with each submission. The latest first, for the users whose records the caller sees.',
  })
  @RequiresScopes('READ_FORECASTS')
  forecastSnapshotList(@Args(() => SnapshotArgs) args: SnapshotArgs, @Ctx() ctx: RequestContext) {
    return forecastSnapshots(ctx, args)
  }

  @Query(() => [ForecastAccuracy], {
    description:
      'How well the last forecasts before the ends of the last six periods met what came, for each user with forecasts whose records the caller sees, by the id of the user.',
  })
  @RequiresScopes('READ_FORECASTS')
  forecastAccuracy(@Args(() => AccuracyArgs) args: AccuracyArgs, @Ctx() ctx: RequestContext) {
    return forecastAccuracy(ctx, args)
  }

  @Mutation(() => SubmittedForecast, {
    description:
      'Submits the forecast of a user for a period, as its next revision. Users submit for themselves; owners, admins and the managers above also for others.',
  })
  @RequiresScope('FORECASTS')
  forecastSubmit(@InputArg(() => ForecastInput) input: ForecastInput, @Ctx() ctx: RequestContext) {
    return submitForecast(ctx, input)
  }
}

const submitted = {
  summary: 'Submit a forecast',
  status: 201,
  answers: 'The new revision.',
  refusals: [],
} as const

export const forecastResource: Resource = {
  resolver: ForecastResolver,
  announces: [forecast],
  migrations: [forecastTable, snapshotTables],
  jobs: [forecastSnapshot],
  operations: [
    operation('POST /v1/quota-forecast/forecasts/submit', 'forecastSubmit', submitted),
    operation('POST /v1/quota-forecast/forecasts', 'forecastSubmit', {
      ...submitted,
      id: 'forecastCreate',
      summary: 'Submit a forecast at its former path',
    }),
    operation('GET /v1/quota-forecast/forecasts/rollup', 'forecastRollup', {
      summary: 'Roll deals, quotas and forecasts up',
      answers: 'The root of the tree.',
      omits: ['users'],
    }),
    operation('GET /v1/quota-forecast/forecasts/accuracy', 'forecastAccuracy', {
      summary: 'Read how accurate forecasts were',
      answers: 'The users with their periods.',
    }),
    operation('GET /v1/quota-forecast/snapshots', 'forecastSnapshotList', {
      summary: 'List snapshots of forecasts',
      answers: 'The snapshots.',
    }),
    operation('GET /v1/quota-forecast/forecasts', 'forecastList', {
      summary: 'List forecasts',
      answers: 'The forecasts.',
    }),
  ],
}
