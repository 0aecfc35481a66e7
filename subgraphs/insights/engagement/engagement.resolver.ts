import { Arg, Ctx, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { engagementConfig, rankRequest } from './engagement.actions.ts'
import { EngagementRankInput } from './engagement.inputs.ts'
import { EngagementConfig, EngagementRanking } from './engagement.types.ts'

@Resolver()
export class EngagementResolver {
  @Query(() => EngagementRanking, {
    description:
      'Scores and ranks the entities of the request. Nothing is stored; the scores depend on the request and its time only.',
  })
  @RequiresScopes('SESSION')
  engagementRank(
    @Arg('input', () => EngagementRankInput, { description: 'The entities.' }) input: EngagementRankInput,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return rankRequest(ctx, input)
  }

  @Query(() => EngagementConfig, { description: 'The weights and other defaults of engagement scores.' })
  @RequiresScopes('SESSION')
  engagementConfig() {
    return engagementConfig()
  }
}

export const engagementResource: Resource = { resolver: EngagementResolver }
