import { Arg, Ctx, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { engagementStats } from './engagement-use.ts'
import { engagementUse } from './engagement-use.migrations.ts'
import {
  batchRequest,
  engagementConfig,
  nextStepsRequest,
  portfolioRequest,
  rankRequest,
  trendRequest,
} from './engagement.actions.ts'
import {
  EngagementBatchInput,
  EngagementNextStepsInput,
  EngagementPortfolioInput,
  EngagementRankInput,
  EngagementTrendInput,
} from './engagement.inputs.ts'
import { EngagementConfig } from './defaults.types.ts'
import { EngagementRanking, EngagementRankings } from './engagement.types.ts'
import { engagementForget } from './kept-answers.ts'
import { EngagementHealth, EngagementNextSteps, EngagementPortfolio, EngagementStats } from './portfolio.types.ts'

type Context = RequestContext<'work'>

const InputArg = (type: () => new () => object) =>
  Arg('input', type, { description: 'What is computed, and from what.' })

@Resolver()
export class EngagementResolver {
  @Query(() => EngagementRanking, {
    description:
      'Scores and ranks the entities of the request. No record is read, and none is changed: the scores depend on the request and its time only.',
  })
  @RequiresScopes('SESSION')
  engagementRank(@InputArg(() => EngagementRankInput) input: EngagementRankInput, @Ctx() ctx: Context) {
    return rankRequest(ctx, input)
  }

  @Query(() => EngagementRankings, { description: 'Scores and ranks several lists of entities, each by itself.' })
  @RequiresScopes('SESSION')
  engagementRankBatch(@InputArg(() => EngagementBatchInput) input: EngagementBatchInput, @Ctx() ctx: Context) {
    return batchRequest(ctx, input)
  }

  @Query(() => EngagementRanking, {
    description:
      'Scores the entities of the request, and returns those with the trend DECLINING or CHURNING, the lowest velocity first.',
  })
  @RequiresScopes('SESSION')
  engagementAtRisk(@InputArg(() => EngagementTrendInput) input: EngagementTrendInput, @Ctx() ctx: Context) {
    return trendRequest(ctx, input, 'AT_RISK')
  }

  @Query(() => EngagementRanking, {
    description:
      'Scores the entities of the request, and returns those with the trend GROWING or ACCELERATING, the highest velocity first.',
  })
  @RequiresScopes('SESSION')
  engagementMomentum(@InputArg(() => EngagementTrendInput) input: EngagementTrendInput, @Ctx() ctx: Context) {
    return trendRequest(ctx, input, 'RISING')
  }

  @Query(() => EngagementPortfolio, {
    description: 'How the scores of the entities of the request are distributed, where they are going, and what to do.',
  })
  @RequiresScopes('SESSION')
  engagementInsights(@InputArg(() => EngagementPortfolioInput) input: EngagementPortfolioInput, @Ctx() ctx: Context) {
    return portfolioRequest(ctx, input)
  }

  @Query(() => EngagementNextSteps, { description: 'What to do next with the entity of the request.' })
  @RequiresScopes('SESSION')
  engagementNextSteps(@InputArg(() => EngagementNextStepsInput) input: EngagementNextStepsInput, @Ctx() ctx: Context) {
    return nextStepsRequest(ctx, input)
  }

  @Query(() => EngagementConfig, { description: 'The weights and other defaults of engagement scores.' })
  @RequiresScopes('SESSION')
  engagementConfig() {
    return engagementConfig()
  }

  @Query(() => EngagementStats, {
    description: 'How often and how fast engagement scores of the organization were computed, in all processes.',
  })
  @RequiresScopes('SESSION')
  engagementStats(@Ctx() ctx: Context) {
    return engagementStats(ctx)
  }

  @Query(() => EngagementHealth, { description: 'Whether engagement scores can be computed. Needs no credential.' })
  @RequiresScopes('PUBLIC', memberScope)
  async engagementHealth(@Ctx() { db }: Context): Promise<EngagementHealth> {
    await db.query('select')
    return { status: 'ok' }
  }
}

export const engagementResource: Resource = {
  resolver: EngagementResolver,
  migrations: [engagementUse],
  jobs: [engagementForget],
}
