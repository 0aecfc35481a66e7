import { Field, Float, ObjectType } from 'type-graphql'
import { DateTime } from '../../../kernel/record/scalars.ts'
import { EngagementMomentum, EngagementSignal } from '../engagement.types.ts'

@ObjectType({
  description:
    'How much a customer engages, from all activities of the record, also those that the caller does not see; recent ones count for more.',
})
export class RecordEngagement {
  @Field(() => Float, { simple: true, description: 'Score of the activities, 0 to 100; 0 without any.' })
  score!: number

  @Field(() => [EngagementSignal], {
    simple: true,
    description:
      'What each type of activity contributes to the score, in the order of their names; types without points are absent.',
  })
  channels!: readonly EngagementSignal[]

  @Field(() => Float, { simple: true, description: 'Score of the change of activity, 0 to 100; 50 without a change.' })
  momentumScore!: number

  @Field(() => EngagementMomentum, {
    simple: true,
    description: 'The change of activity over the last 14 days and the 28 before, from the newest 200 activities.',
  })
  momentum!: EngagementMomentum

  @Field(() => Float, {
    simple: true,
    description:
      'Sum of points at which the score is 63: set daily such that the record at the 75th percentile scores 75, 25 below thirty records with activity.',
  })
  k!: number

  @Field(() => DateTime, { simple: true, description: 'When it was computed: the time of the request.' })
  computedAt!: string
}
