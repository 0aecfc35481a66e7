import { Ctx, FieldResolver, ID, Info, Query, Resolver, Root } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Opportunity } from '../extended-records.ts'
import { dealScoreDistribution } from './deal-distribution.ts'
import { DealScoreDistribution } from './deal-distribution.types.ts'
import { dealInsights } from './deal-insights.ts'
import { DealInsights } from './deal-insights.types.ts'
import { dealScoreConsumer } from './deal-score-consumer.ts'
import { dealScoreDaily, dealScoreDirty, dealScoreHourly } from './deal-score.jobs.ts'
import { dealScoreTables } from './deal-score.migrations.ts'
import { dealScoreOf, requireDealScore } from './deal-score.ts'
import { DealScore } from './deal-score.types.ts'

const DealIdArg = () => ValueArg('dealId', () => ID, { description: 'Id of the opportunity.' })

@Resolver(() => Opportunity)
class DealScoreResolver {
  @FieldResolver(() => DealScore, {
    nullable: true,
    description: 'How healthy the deal is, and how likely it is won; null while it cannot be read.',
  })
  score(@Root() { id }: { readonly id: string }, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return dealScoreOf(ctx, id, selectedFields(info))
  }

  @Query(() => DealScore, {
    description: 'The health of a deal with what it is made of, and the probability that the deal is won.',
  })
  @RequiresScopes('READ_SCORES')
  dealScore(@DealIdArg() dealId: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return requireDealScore(ctx, dealId, selectedFields(info))
  }

  @Query(() => DealInsights, {
    description:
      'When a deal will probably be closed, what speaks for and against it, what would help, and similar closed deals.',
  })
  @RequiresScopes('READ_SCORES')
  dealInsights(@DealIdArg() dealId: string, @Ctx() ctx: RequestContext) {
    return dealInsights(ctx, dealId)
  }

  @Query(() => DealScoreDistribution, {
    description:
      'How the scores of the open deals that the caller sees are distributed: by band, score, stage and owner.',
  })
  @RequiresScopes('READ_SCORES')
  dealScoreDistribution(@Ctx() ctx: RequestContext) {
    return dealScoreDistribution(ctx)
  }
}

export const dealScoreResource: Resource = {
  resolver: DealScoreResolver,
  types: [Opportunity],
  migrations: [dealScoreTables],
  consumers: [dealScoreConsumer],
  jobs: [dealScoreHourly, dealScoreDirty, dealScoreDaily],
  operations: [
    operation('GET /v1/deal-scoring/{dealId}/score', 'dealScore', {
      summary: 'Score a deal',
      answers: 'The score of the deal.',
    }),
    operation('GET /v1/deal-scoring/{dealId}/insights', 'dealInsights', {
      summary: 'Get the insights of a deal',
      answers: 'What is to be expected of the deal.',
    }),
    operation('GET /v1/deal-scoring/distribution', 'dealScoreDistribution', {
      summary: 'Get the distribution of scores',
      answers: 'The distribution over all open deals that the caller sees.',
    }),
  ],
}
