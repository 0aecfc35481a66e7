import { Field, Int, ObjectType } from 'type-graphql'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { quote } from './quote.record.ts'
import { QuoteApprovalStatus, QuoteStatus } from './quote.enumerations.ts'

const QuoteStatusCounts = valueCounts(QuoteStatus, 'QUOTES', 'quotes')
const QuoteApprovalStatusCounts = valueCounts(QuoteApprovalStatus, 'QUOTES', 'quotes')

@ObjectType({ description: 'Statistics of the live quotes that the caller sees.' })
@RequiresScope('QUOTES')
export class QuoteStats {
  @Field(() => Int, { description: 'Number of quotes.' })
  total!: number

  @Field(() => QuoteStatusCounts, { description: 'Number of quotes by `status`.' })
  byStatus!: Counts

  @Field(() => QuoteApprovalStatusCounts, { description: 'Number of quotes by `approvalStatus`.' })
  byApprovalStatus!: Counts

  @Field(() => Int, { description: 'Number of primary quotes of opportunities.' })
  primary!: number
}

export async function quoteStats(ctx: RequestContext): Promise<QuoteStats> {
  return (await figures(ctx, quote, {
    total: count(),
    byStatus: countBy('status'),
    byApprovalStatus: countBy('approvalStatus'),
    primary: count({ isPrimary: true }),
  })) as QuoteStats
}
