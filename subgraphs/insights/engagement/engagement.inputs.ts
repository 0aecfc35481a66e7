import { Field, Float, InputType, Int } from 'type-graphql'
import { ActivityDirection, ActivityOutcome, ActivitySentiment } from '../../crm/public.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { bounds } from './bounds.ts'
import { EngagementActivityType, RelationshipType } from './engagement.enumerations.ts'

const range = ([least, most]: readonly [number, number]): string => `${least} to ${most}`

@InputType({ description: 'Something that happened with an entity.' })
export class EngagementActivityInput {
  @Field(() => EngagementActivityType, { description: 'What happened.' })
  type!: string

  @Field(() => DateTime, {
    description: 'When it happened. Activities after the time of the computation are not counted.',
  })
  timestamp!: string

  @Field(() => ActivityOutcome, { nullable: true, description: 'How it ended; null if it does not apply.' })
  outcome?: string | null

  @Field(() => ActivitySentiment, {
    nullable: true,
    description: 'Mood: POSITIVE counts fully, NEUTRAL 70 %, NEGATIVE 10 %; null counts fully.',
  })
  sentiment?: string | null

  @Field(() => ActivityDirection, {
    nullable: true,
    description: 'Who addressed whom. An EMAIL, SMS or CHAT counts only if it is INBOUND or its outcome is REPLIED.',
  })
  direction?: string | null

  @Field(() => Boolean, { nullable: true, description: 'True if software did it without a person: it does not count.' })
  isAutomated?: boolean | null
}

@InputType({ description: 'A relation of an entity to another one of the request; it leads both ways.' })
export class EngagementRelationshipInput {
  @Field(() => String, {
    description:
      'Id of the other entity. A relation to the entity itself, or to an id that the request does not have, is ignored.',
  })
  targetId!: string

  @Field(() => RelationshipType, { description: 'How they are related.' })
  type!: string

  @Field(() => Float, {
    nullable: true,
    description: `Factor of the weight of the type, ${range(bounds.strength)}; null: 1. For INTERACTED the number of contacts.`,
  })
  strength?: number | null
}

@InputType({ description: 'An entity to score: an account, a person, a deal or anything else.' })
export class EngagementEntityInput {
  @Field(() => String, { description: `Id of the entity, 1 to ${bounds.id} characters, unique in the request.` })
  id!: string

  @Field(() => String, {
    description: `Type of the entity, 1 to ${bounds.type} characters, for example ACCOUNT. Activity of a LEAD loses half of its weight in 14 days, that of others in 30.`,
  })
  type!: string

  @Field(() => String, {
    nullable: true,
    description: `Name that the answer repeats, at most ${bounds.name} characters.`,
  })
  name?: string | null

  @Field(() => Json, {
    nullable: true,
    description: `Free-form object. \`openAmount\`, ${range(bounds.openAmount)}, is the amount of open deals, which makes the entity more important in the network.`,
  })
  properties?: unknown

  @Field(() => [EngagementRelationshipInput], {
    nullable: true,
    description: `Its relations; at most ${bounds.relationships} of all entities together.`,
  })
  relationships?: EngagementRelationshipInput[] | null

  @Field(() => [EngagementActivityInput], {
    nullable: true,
    description: `What happened with it, in any order; at most ${bounds.activities} of all entities together.`,
  })
  activities?: EngagementActivityInput[] | null
}

@InputType({ description: 'The points of an activity type.' })
export class ActivityWeightInput {
  @Field(() => EngagementActivityType, { description: 'The type of the activity.' })
  type!: string

  @Field(() => Float, { description: `Its points, ${range(bounds.weight)}; 0: it does not count.` })
  weight!: number
}

@InputType({ description: 'The weight of a relationship type.' })
export class RelationshipWeightInput {
  @Field(() => RelationshipType, { description: 'The type of the relationship.' })
  type!: string

  @Field(() => Float, { description: `Its weight, ${range(bounds.weight)}; 0: it does not count.` })
  weight!: number
}

@InputType({ description: 'The shares of the three scores in the rank score; they must add up to 1.' })
export class RankSharesInput {
  @Field(() => Float, { description: 'Share of the network score, 0 to 1.' })
  network!: number

  @Field(() => Float, { description: 'Share of the activity score, 0 to 1.' })
  engagement!: number

  @Field(() => Float, { description: 'Share of the momentum score, 0 to 1.' })
  momentum!: number
}

@InputType({ description: 'What is computed differently from the defaults, which `engagementConfig` returns.' })
export class EngagementConfigInput {
  @Field(() => Float, {
    nullable: true,
    description: `Days after which an activity counts half, ${range(bounds.halfLifeDays)}; null: 14 for entities of the type LEAD, 30 for others.`,
  })
  halfLifeDays?: number | null

  @Field(() => [ActivityWeightInput], {
    nullable: true,
    description: 'Points of activity types; a type that is not named keeps its default.',
  })
  weights?: ActivityWeightInput[] | null

  @Field(() => [RelationshipWeightInput], {
    nullable: true,
    description: 'Weights of relationship types; a type that is not named keeps its default.',
  })
  edges?: RelationshipWeightInput[] | null

  @Field(() => RankSharesInput, { nullable: true, description: 'Shares in the rank score; null: the defaults.' })
  rank?: RankSharesInput | null

  @Field(() => Float, {
    nullable: true,
    description: `Sum of points at which the activity score is 63, ${range(bounds.k)}; null: such that the entity at the 75th percentile scores 75, and 25 below 30 entities with activity.`,
  })
  k?: number | null

  @Field(() => Float, {
    nullable: true,
    description: `Days of each of the three windows of momentum, ${range(bounds.windowDays)}; null: 14.`,
  })
  windowDays?: number | null
}

const limitDescription = `Number of entities to return, ${range(bounds.limit)}; null: ${bounds.limitDefault}. All entities are scored.`

@InputType({ description: 'Entities to score and rank.' })
export class EngagementRankInput {
  @Field(() => [EngagementEntityInput], { description: `The entities, at most ${bounds.entities}.` })
  entities!: EngagementEntityInput[]

  @Field(() => Int, { nullable: true, description: limitDescription })
  limit?: number | null

  @Field(() => EngagementConfigInput, { nullable: true, description: 'What is computed differently; null: nothing.' })
  config?: EngagementConfigInput | null
}

@InputType({ description: 'Entities of which those that change are wanted.' })
export class EngagementTrendInput extends EngagementRankInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only entities whose change is larger than chance explains; null: all.',
  })
  significantOnly?: boolean | null
}

@InputType({ description: 'Lists of entities, each of which is ranked by itself.' })
export class EngagementBatchInput {
  @Field(() => [EngagementRankInput], {
    description: `The lists, 1 to ${bounds.batches}. The bounds of entities, activities and relationships hold for all of them together.`,
  })
  batches!: EngagementRankInput[]
}

@InputType({ description: 'Entities of a portfolio.' })
export class EngagementPortfolioInput {
  @Field(() => [EngagementEntityInput], { description: `The entities, at most ${bounds.entities}.` })
  entities!: EngagementEntityInput[]

  @Field(() => EngagementConfigInput, { nullable: true, description: 'What is computed differently; null: nothing.' })
  config?: EngagementConfigInput | null
}

@InputType({ description: 'An entity that next steps are wanted for.' })
export class EngagementNextStepsInput {
  @Field(() => EngagementEntityInput, { description: 'What the steps are for.' })
  entity!: EngagementEntityInput

  @Field(() => EngagementConfigInput, { nullable: true, description: 'What is computed differently; null: nothing.' })
  config?: EngagementConfigInput | null
}
