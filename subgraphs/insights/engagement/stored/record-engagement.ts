import { Float, ObjectType } from 'type-graphql'
import { OutputField } from '../../../kernel/record/declared-value.ts'
import { DateTime } from '../../../kernel/record/scalars.ts'
import { EngagementMomentum, EngagementSignal } from '../engagement.types.ts'

@ObjectType({
  description:
    'How much a customer engages, from all activities of the record, also those that the caller does not see; recent ones count for more.',
})
export class RecordEngagement {
  @OutputField(() => Float, { description: 'Score of the activities, 0 to 100; 0 without any.', example: 62.5 })
  score!: number

  @OutputField(() => EngagementSignal, {
    list: true,
    description:
      'What each type of activity contributes to the score, in the order of their names; types without points are absent.',
  })
  channels!: readonly EngagementSignal[]

  @OutputField(() => Float, {
    description: 'Score of the change of activity, 0 to 100; 50 without a change.',
    example: 55,
  })
  momentumScore!: number

  @OutputField(() => EngagementMomentum, {
    description: 'The change of activity over the last 14 days and the 28 before, from the newest 200 activities.',
  })
  momentum!: EngagementMomentum

  @OutputField(() => Float, {
    description:
      'Sum of points at which the score is 63: set daily such that the record at the 75th percentile scores 75, 25 below thirty records with activity.',
    example: 25,
  })
  k!: number

  @OutputField(() => DateTime, {
    description: 'When it was computed: the time of the request.',
    example: '2026-11-28T13:00:00.000Z',
  })
  computedAt!: string
}
