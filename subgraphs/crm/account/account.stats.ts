import { Field, Float, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { Decimal, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { average, count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { figures, mostFrequent, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { account } from './account.record.ts'
import { AccountRating, AccountStatus, AccountType, ChurnRisk } from './account.enumerations.ts'

const AccountTypeCounts = valueCounts(AccountType, 'ACCOUNTS', 'accounts')
const AccountStatusCounts = valueCounts(AccountStatus, 'ACCOUNTS', 'accounts')
const AccountRatingCounts = valueCounts(AccountRating, 'ACCOUNTS', 'accounts')
const ChurnRiskCounts = valueCounts(ChurnRisk, 'ACCOUNTS', 'accounts')

@ObjectType({ description: 'Number of accounts of an industry.' })
@RequiresScope('ACCOUNTS')
export class IndustryCount {
  @Field(() => String, { description: 'Industry as the accounts name it.' })
  industry!: string

  @Field(() => Int, { description: 'Number of accounts of the industry.' })
  count!: number
}

@ObjectType({
  description:
    'Statistics of the live accounts that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('ACCOUNTS')
export class AccountStats {
  @Field(() => Int, { description: 'Number of accounts.' })
  total!: number

  @Field(() => AccountTypeCounts, {
    nullable: true,
    description: 'Number of accounts by `type`. Null if the profile hides `type`.',
  })
  byType!: Counts | null

  @Field(() => AccountStatusCounts, { description: 'Number of accounts by `accountStatus`.' })
  byStatus!: Counts

  @Field(() => AccountRatingCounts, {
    nullable: true,
    description: 'Number of accounts by `rating`. Null if the profile hides `rating`.',
  })
  byRating!: Counts | null

  @Field(() => ChurnRiskCounts, {
    nullable: true,
    description: 'Number of accounts by `churnRisk`. Null if the profile hides `churnRisk`.',
  })
  byChurnRisk!: Counts | null

  @Field(() => [IndustryCount], {
    nullable: true,
    description: 'The counts of `byIndustry` as a list, the most frequent first. Null if the profile hides `industry`.',
  })
  industries!: IndustryCount[] | null

  @Field(() => Json, {
    nullable: true,
    description:
      'Number of accounts by industry, for the 100 industries with the most accounts; `otherIndustries` counts the rest. Null if the profile hides `industry`.',
  })
  byIndustry!: Counts | null

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of accounts with an industry that is not in `byIndustry`; 0 if there are at most 100 industries. Null if the profile hides `industry`.',
  })
  otherIndustries!: number | null

  @Field(() => Int, { description: 'Number of accounts with isStrategic true.' })
  strategic!: number

  @Field(() => Decimal, {
    nullable: true,
    description: 'Sum of `annualRevenue`, 0 without values. Null if the profile hides `annualRevenue`.',
  })
  totalAnnualRevenue!: ExactNumber | null

  @Field(() => Float, {
    nullable: true,
    description:
      'Average `healthScore`, 0 to 100 with two decimals; null if no account has one or the profile hides it.',
  })
  averageHealthScore!: number | null
}

const industriesMax = 100

export async function accountStats(ctx: RequestContext, filter: FilterInput | null): Promise<AccountStats> {
  const [own, industries] = await Promise.all([
    figures(
      ctx,
      account,
      {
        total: count(),
        strategic: count({ isStrategic: true }),
        totalAnnualRevenue: sum('annualRevenue'),
        averageHealthScore: average('healthScore', 2),
        byType: countBy('type'),
        byStatus: countBy('accountStatus'),
        byRating: countBy('rating'),
        byChurnRisk: countBy('churnRisk'),
      },
      filter,
    ),
    mostFrequent(ctx, account, 'industry', industriesMax, filter),
  ])
  const { counts, others } = industries
  return {
    ...own,
    industries: counts && Object.entries(counts).map(([industry, count]) => ({ industry, count })),
    byIndustry: counts,
    otherIndustries: others,
  } as AccountStats
}
