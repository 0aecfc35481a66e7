import { Field, Float, Int, ObjectType } from 'type-graphql'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { average, count, countBy, ratio } from '../../kernel/record/aggregates.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { LeadSource } from '../lead-source.ts'
import { LeadRating, LeadStatus } from './lead.enumerations.ts'
import { lead } from './lead.record.ts'

const LeadStatusCounts = valueCounts(LeadStatus, 'LEADS', 'leads')
const LeadSourceCounts = valueCounts(LeadSource, 'LEADS', 'leads', 'Lead')
const LeadRatingCounts = valueCounts(LeadRating, 'LEADS', 'leads')

@ObjectType({
  description:
    'Statistics of the live leads that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('LEADS')
export class LeadStats {
  @Field(() => Int, { description: 'Number of leads.' })
  total!: number

  @Field(() => LeadStatusCounts, { description: 'Number of leads by `status`.' })
  byStatus!: Counts

  @Field(() => LeadSourceCounts, { description: 'Number of leads by `leadSource`.' })
  byLeadSource!: Counts

  @Field(() => LeadRatingCounts, {
    nullable: true,
    description: 'Number of leads by `rating`. Null if the profile hides `rating`.',
  })
  byRating!: Counts | null

  @Field(() => Float, {
    nullable: true,
    description: 'Average `leadScore`, 0 to 100 with two decimals; null if no lead has one or the profile hides it.',
  })
  averageLeadScore!: number | null

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the leads that were converted, from 0 to 1 with four decimals; null without leads.',
  })
  conversionRate!: number | null
}

export async function leadStats(ctx: RequestContext, filter: FilterInput | null): Promise<LeadStats> {
  return (await figures(
    ctx,
    lead,
    {
      total: count(),
      averageLeadScore: average('leadScore', 2),
      conversionRate: ratio(count({ status: 'CONVERTED' }), count(), 4),
      byStatus: countBy('status'),
      byLeadSource: countBy('leadSource'),
      byRating: countBy('rating'),
    },
    filter,
  )) as LeadStats
}
