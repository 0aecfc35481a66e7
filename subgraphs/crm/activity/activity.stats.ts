import { Field, Int, ObjectType } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { ActivityDirection, ActivityOutcome, ActivityType } from './activity.enumerations.ts'
import { activity } from './activity.record.ts'

const ActivityTypeCounts = valueCounts(ActivityType, 'ACTIVITIES', 'activities')
const ActivityDirectionCounts = valueCounts(ActivityDirection, 'ACTIVITIES', 'activities')
const ActivityOutcomeCounts = valueCounts(ActivityOutcome, 'ACTIVITIES', 'activities')

@ObjectType({
  description:
    'Statistics of the live activities that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('ACTIVITIES')
export class ActivityStats {
  @Field(() => Int, { description: 'Number of activities.' })
  total!: number

  @Field(() => Int, { description: 'Number of activities with `isAutomated` true.' })
  automated!: number

  @Field(() => ActivityTypeCounts, { description: 'Number of activities by `type`.' })
  byType!: Counts

  @Field(() => ActivityDirectionCounts, {
    nullable: true,
    description: 'Number of activities by `direction`. Null if the profile hides `direction`.',
  })
  byDirection!: Counts | null

  @Field(() => ActivityOutcomeCounts, {
    nullable: true,
    description: 'Number of activities by `outcome`. Null if the profile hides `outcome`.',
  })
  byOutcome!: Counts | null
}

export async function activityStats(ctx: RequestContext, filter: FilterInput | null): Promise<ActivityStats> {
  return (await figures(
    ctx,
    activity,
    {
      total: count(),
      automated: count({ isAutomated: true }),
      byType: countBy('type'),
      byDirection: countBy('direction'),
      byOutcome: countBy('outcome'),
    },
    filter,
  )) as ActivityStats
}
