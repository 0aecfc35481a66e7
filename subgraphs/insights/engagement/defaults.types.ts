import { Field, Float, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { EngagementActivityType, RelationshipType } from './engagement.enumerations.ts'

@ObjectType({ description: 'The points of an activity type by default.' })
@RequiresScopes('SESSION')
export class ActivityWeight {
  @Field(() => EngagementActivityType, { simple: true, description: 'The type of the activity.' })
  type!: string

  @Field(() => Float, { simple: true, description: 'Its points before they decay.' })
  weight!: number
}

@ObjectType({ description: 'The weight of a relationship type by default.' })
@RequiresScopes('SESSION')
export class RelationshipWeight {
  @Field(() => RelationshipType, { simple: true, description: 'The type of the relationship.' })
  type!: string

  @Field(() => Float, { simple: true, description: 'Its weight with a strength of 1.' })
  weight!: number
}

@ObjectType({ description: 'The shares of the three scores in the rank score.' })
@RequiresScopes('SESSION')
export class RankShareValues {
  @Field(() => Float, { simple: true, description: 'Share of the network score.' })
  network!: number

  @Field(() => Float, { simple: true, description: 'Share of the activity score.' })
  engagement!: number

  @Field(() => Float, { simple: true, description: 'Share of the momentum score.' })
  momentum!: number
}

@ObjectType({ description: 'The defaults of engagement scores.' })
@RequiresScopes('SESSION')
export class EngagementConfig {
  @Field(() => [ActivityWeight], { simple: true, description: 'Points of each activity type; 0: it does not count.' })
  weights!: ActivityWeight[]

  @Field(() => [RelationshipWeight], { simple: true, description: 'Weight of each relationship type.' })
  edges!: RelationshipWeight[]

  @Field(() => [EngagementActivityType], {
    simple: true,
    description: 'The types of activities that a request may contain.',
  })
  activityTypes!: string[]

  @Field(() => [RelationshipType], {
    simple: true,
    description: 'The types of relationships that a request may contain.',
  })
  relationshipTypes!: string[]

  @Field(() => RankShareValues, { simple: true, description: 'Shares of the three scores in the rank score.' })
  rank!: RankShareValues

  @Field(() => Float, {
    simple: true,
    description: 'Days after which an activity counts half; 14 for entities of the type LEAD.',
  })
  halfLifeDays!: number

  @Field(() => Float, { simple: true, description: 'Days of each window of momentum.' })
  windowDays!: number

  @Field(() => Float, {
    simple: true,
    description: 'Sum of points at which the activity score is 63, where fewer than 30 entities have activity.',
  })
  k!: number
}
