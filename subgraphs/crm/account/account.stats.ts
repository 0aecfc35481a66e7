import { Field, Float, Int, ObjectType } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { Scope } from '../../kernel/record/scope.ts'
import { aggregate, countsBy, type Counts } from '../../kernel/record/stats.ts'
import { account } from './account.ts'

@ObjectType({ description: 'Figures over the live accounts in sight.' })
@Scope('ACCOUNTS')
export class AccountStats {
  @Field(() => Int)
  total!: number

  @Field(() => Json, { description: 'Number of accounts by type.' })
  byType!: Counts

  @Field(() => Json)
  byStatus!: Counts

  @Field(() => Json)
  byRating!: Counts

  @Field(() => Json)
  byChurnRisk!: Counts

  @Field(() => Json)
  byIndustry!: Counts

  @Field(() => Int, { description: 'Accounts marked as strategic.' })
  strategic!: number

  @Field(() => Float)
  totalAnnualRevenue!: number

  @Field(() => Float, { nullable: true })
  averageHealthScore!: number | null
}

export async function accountStats(ctx: RequestContext): Promise<AccountStats> {
  const [figures, counts] = await Promise.all([
    aggregate<Pick<AccountStats, 'total' | 'strategic' | 'totalAnnualRevenue' | 'averageHealthScore'>>(
      ctx,
      account,
      `count(*)::int8 as total, count(*) filter (where t.is_strategic)::int8 as strategic,
       coalesce(sum(t.annual_revenue), 0) as "totalAnnualRevenue", round(avg(t.health_score)::numeric, 2) as "averageHealthScore"`,
    ),
    countsBy(ctx, account, {
      byType: 'type',
      byStatus: 'account_status',
      byRating: 'rating',
      byChurnRisk: 'churn_risk',
      byIndustry: 'industry',
    }),
  ])
  return { ...figures, ...counts } as AccountStats
}
