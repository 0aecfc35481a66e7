import { Field, Float, Int, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import {
  EngagementAction,
  EngagementPriority,
  EngagementRecommendationKey,
  EngagementStepSource,
  EngagementTrend,
} from './engagement.enumerations.ts'
import { EngagementRankingStats } from './engagement.types.ts'

@ObjectType({ description: 'A bar of the histogram of rank scores.' })
@RequiresScopes('SESSION')
export class EngagementBar {
  @Field(() => Int, { simple: true, description: 'Least score of the bar.' })
  from!: number

  @Field(() => Int, { simple: true, description: 'Scores of the bar are below it; the last bar contains 100.' })
  to!: number

  @Field(() => Int, { simple: true, description: 'Number of entities.' })
  count!: number
}

@ObjectType({ description: 'How the rank scores are distributed.' })
@RequiresScopes('SESSION')
export class EngagementDistribution {
  @Field(() => Int, { simple: true, description: 'Number of entities.' })
  total!: number

  @Field(() => Float, { nullable: true, simple: true, description: 'Average rank score; null without entities.' })
  averageScore!: number | null

  @Field(() => Float, { nullable: true, simple: true, description: 'Median rank score; null without entities.' })
  medianScore!: number | null

  @Field(() => [EngagementBar], { simple: true, description: 'Ten bars of ten points.' })
  histogram!: EngagementBar[]
}

@ObjectType({ description: 'How many entities have a trend.' })
@RequiresScopes('SESSION')
export class EngagementTrendCount {
  @Field(() => EngagementTrend, { simple: true, description: 'The trend that is counted.' })
  trend!: string

  @Field(() => Int, { simple: true, description: 'Number of entities.' })
  count!: number

  @Field(() => Float, { nullable: true, simple: true, description: 'Percent of all entities; null without entities.' })
  share!: number | null
}

@ObjectType({ description: 'What to do with some of the entities.' })
@RequiresScopes('SESSION')
export class EngagementRecommendation {
  @Field(() => EngagementRecommendationKey, { simple: true, description: 'What to do.' })
  key!: string

  @Field(() => EngagementPriority, { simple: true, description: 'How urgent it is.' })
  priority!: string

  @Field(() => String, { simple: true, description: 'The recommendation, one sentence in English.' })
  text!: string

  @Field(() => Int, { simple: true, description: 'Number of entities that it concerns.' })
  count!: number

  @Field(() => [String], {
    simple: true,
    description: 'Ids of the first twenty of them, those of the best rank first.',
  })
  entityIds!: string[]
}

@ObjectType({ description: 'How the scores of a portfolio are distributed, where they are going, and what to do.' })
@RequiresScopes('SESSION')
export class EngagementPortfolio {
  @Field(() => EngagementDistribution, { simple: true, description: 'How the rank scores are distributed.' })
  distribution!: EngagementDistribution

  @Field(() => [EngagementTrendCount], {
    simple: true,
    description: 'How many entities have each trend; all five trends.',
  })
  trends!: EngagementTrendCount[]

  @Field(() => [EngagementRecommendation], {
    simple: true,
    description: 'What to do, the most urgent first; empty if nothing is noticeable. An entity is part of one at most.',
  })
  recommendations!: EngagementRecommendation[]

  @Field(() => DateTime, { simple: true, description: 'When it was computed; activities until then count.' })
  computedAt!: string

  @Field(() => EngagementRankingStats, { simple: true, description: 'What it was computed from.' })
  stats!: EngagementRankingStats
}

@ObjectType({ description: 'Something to do next with an entity.' })
@RequiresScopes('SESSION')
export class EngagementStep {
  @Field(() => EngagementAction, { simple: true, description: 'What to do.' })
  action!: string

  @Field(() => String, { simple: true, description: 'Why, one sentence in English.' })
  reason!: string

  @Field(() => EngagementPriority, { simple: true, description: 'How urgent it is.' })
  priority!: string

  @Field(() => [String], {
    simple: true,
    description:
      'Where the reason is found: paths in the request (`entity.activities.2`) or in a result of `score` (`momentum.trend`).',
  })
  basedOn!: string[]
}

@ObjectType({ description: 'What to do next with an entity.' })
@RequiresScopes('SESSION')
export class EngagementNextSteps {
  @Field(() => String, { simple: true, description: 'Id of the entity, as in the request.' })
  entityId!: string

  @Field(() => [EngagementStep], { simple: true, description: 'At least one step, the most urgent first.' })
  steps!: EngagementStep[]

  @Field(() => EngagementStepSource, { simple: true, description: 'Who proposed the steps.' })
  source!: string
}

@ObjectType({ description: 'How the organization has used the answers that are kept for a minute.' })
@RequiresScopes('SESSION')
export class EngagementCacheStats {
  @Field(() => Int, { simple: true, description: 'Number of answers that are kept at the moment, at most 50.' })
  entries!: number

  @Field(() => Float, { simple: true, description: 'Number of requests that were answered from them.' })
  hits!: number

  @Field(() => Float, { simple: true, description: 'Number of requests that were computed.' })
  misses!: number
}

@ObjectType({ description: 'Computations of engagement scores of the organization, in all processes.' })
@RequiresScopes('SESSION')
export class EngagementStats {
  @Field(() => Float, {
    simple: true,
    description: 'Number of computations; a batch counts once for each of its lists.',
  })
  computations!: number

  @Field(() => Float, { simple: true, description: 'Number of entities that were scored.' })
  entities!: number

  @Field(() => Int, {
    nullable: true,
    simple: true,
    description:
      'Median time of a computation in ms, as the upper bound of its bucket (10 to 10000); null without any.',
  })
  p50Ms!: number | null

  @Field(() => Int, {
    nullable: true,
    simple: true,
    description: '95th percentile of the time of a computation in ms, in the same way; null without any.',
  })
  p95Ms!: number | null

  @Field(() => EngagementCacheStats, { simple: true, description: 'Use of the kept answers.' })
  cache!: EngagementCacheStats
}

@ObjectType({ description: 'Whether engagement scores can be computed.' })
@RequiresScopes('PUBLIC', memberScope)
export class EngagementHealth {
  @Field(() => String, { simple: true, description: '`ok`; otherwise the request is refused with UNAVAILABLE.' })
  status!: string
}
