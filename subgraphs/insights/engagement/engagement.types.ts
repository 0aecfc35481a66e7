import { Field, Float, Int, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import {
  EngagementActivityType,
  EngagementFactor,
  EngagementInsightKey,
  EngagementTrend,
} from './engagement.enumerations.ts'

@ObjectType({ description: 'The change of activity over three windows of equal length.' })
export class EngagementMomentum {
  @Field(() => Float, {
    simple: true,
    description:
      'Points of the last window less those of the one before, divided by those of the one before (by 2 if they are fewer); -1 to 3.',
  })
  velocity!: number

  @Field(() => Float, {
    simple: true,
    description: 'Velocity less the velocity of the window before, which is not limited.',
  })
  acceleration!: number

  @Field(() => EngagementTrend, { simple: true, description: 'What velocity and acceleration mean.' })
  trend!: string

  @Field(() => Boolean, {
    simple: true,
    description: 'Whether the two windows differ by more than chance explains, with 95 % confidence.',
  })
  significant!: boolean

  @Field(() => Float, {
    nullable: true,
    simple: true,
    description: 'Days since the last activity that counts; null if there is none.',
  })
  silenceDays!: number | null

  @Field(() => Float, {
    nullable: true,
    simple: true,
    description:
      'Median days between activities that count, at least 1; null if there are fewer than three at different times.',
  })
  usualGapDays!: number | null
}

@ObjectType({ description: 'What the activities of one type contribute to the activity score.' })
export class EngagementSignal {
  @Field(() => EngagementActivityType, { simple: true, description: 'The type of the activities.' })
  channel!: string

  @Field(() => Int, { simple: true, description: 'Number of activities that count.' })
  activities!: number

  @Field(() => Float, {
    simple: true,
    description: 'Part of the activity score. One type has at most 40 % of the points; the parts add up to the score.',
  })
  contribution!: number
}

@ObjectType({ description: 'What one score contributes to the rank score.' })
@RequiresScopes('SESSION')
export class EngagementContribution {
  @Field(() => EngagementFactor, { simple: true, description: 'The score that contributes.' })
  factor!: string

  @Field(() => Float, { simple: true, description: 'Part of the rank score; the three parts add up to it.' })
  contribution!: number
}

@ObjectType({ description: 'A remark on one entity that its numbers support.' })
@RequiresScopes('SESSION')
export class EngagementInsight {
  @Field(() => EngagementInsightKey, { simple: true, description: 'What the remark is about.' })
  key!: string

  @Field(() => String, { simple: true, description: 'The remark, one sentence in English.' })
  text!: string
}

@ObjectType({ description: 'An entity with its scores.' })
@RequiresScopes('SESSION')
export class RankedEntity {
  @Field(() => String, { simple: true, description: 'Id of the entity, as in the request.' })
  id!: string

  @Field(() => String, { simple: true, description: 'Type of the entity, as in the request.' })
  type!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Name of the entity, as in the request; null if it has none.',
  })
  name!: string | null

  @Field(() => Int, {
    simple: true,
    description: 'Place among all entities of the request, from 1. Equal scores are in the order of ids.',
  })
  rank!: number

  @Field(() => Float, { simple: true, description: 'Rank score, 0 to 100: the three scores in their shares.' })
  score!: number

  @Field(() => Float, {
    simple: true,
    description: 'Percentile of the importance in the network of relationships, 0 to 100; 50 if all are equal.',
  })
  networkScore!: number

  @Field(() => Float, { simple: true, description: 'Score of the activities, 0 to 100; recent ones count for more.' })
  activityScore!: number

  @Field(() => Float, { simple: true, description: 'Score of the change of activity, 0 to 100; 50 without a change.' })
  momentumScore!: number

  @Field(() => EngagementMomentum, { simple: true, description: 'The change of activity.' })
  momentum!: EngagementMomentum

  @Field(() => [EngagementSignal], {
    simple: true,
    description:
      'What each type of activity contributes to the activity score, in the order of their names; types without points are absent.',
  })
  activitySignals!: EngagementSignal[]

  @Field(() => [EngagementContribution], {
    simple: true,
    description: 'What each score contributes to the rank score.',
  })
  explanation!: EngagementContribution[]

  @Field(() => [EngagementInsight], {
    simple: true,
    description: 'Remarks on the entity; empty if there is nothing to say.',
  })
  insights!: EngagementInsight[]
}

@ObjectType({ description: 'What a ranking was computed from.' })
@RequiresScopes('SESSION')
export class EngagementRankingStats {
  @Field(() => Int, { simple: true, description: 'Number of entities of the request.' })
  entities!: number

  @Field(() => Int, { simple: true, description: 'Number of activities of the request.' })
  activities!: number

  @Field(() => Int, {
    simple: true,
    description: 'Number of activities after the time of the computation, which do not count.',
  })
  futureActivities!: number

  @Field(() => Int, { simple: true, description: 'Number of relationships of the request.' })
  relationships!: number

  @Field(() => Int, {
    simple: true,
    description:
      'Number of relationships that do not count: to the entity itself, to an unknown id, or without weight.',
  })
  ignoredRelationships!: number

  @Field(() => Float, { simple: true, description: 'Sum of points at which the activity score is 63.' })
  k!: number
}

@ObjectType({ description: 'Ranked entities.' })
@RequiresScopes('SESSION')
export class EngagementRanking {
  @Field(() => [RankedEntity], { simple: true, description: 'The entities, as many as `limit` says.' })
  results!: RankedEntity[]

  @Field(() => DateTime, { simple: true, description: 'When the scores were computed; activities until then count.' })
  computedAt!: string

  @Field(() => EngagementRankingStats, { simple: true, description: 'What the ranking was computed from.' })
  stats!: EngagementRankingStats
}

@ObjectType({ description: 'The rankings of several lists of entities.' })
@RequiresScopes('SESSION')
export class EngagementRankings {
  @Field(() => [EngagementRanking], { simple: true, description: 'One ranking for each list, in their order.' })
  results!: EngagementRanking[]
}
