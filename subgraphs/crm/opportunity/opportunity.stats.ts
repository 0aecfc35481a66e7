import { Field, Float, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy, minus, ratio, sum } from '../../kernel/record/aggregates.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal, Json } from '../../kernel/record/scalars.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { ForecastCategory, OpportunityType } from './opportunity.enumerations.ts'
import { opportunity } from './opportunity.record.ts'
import type { Opportunity } from './opportunity.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'

const ForecastCategoryCounts = valueCounts(ForecastCategory, 'OPPORTUNITIES', 'opportunities')
const OpportunityTypeCounts = valueCounts(OpportunityType, 'OPPORTUNITIES', 'opportunities')

@ObjectType({ description: 'Sums of opportunities whose amounts have the same currency.' })
@RequiresScope('OPPORTUNITIES')
export class OpportunityCurrencyTotal {
  @OutputField(() => String, { description: 'The currency of the sums, as an ISO 4217 code.', example: 'EUR' })
  currency!: string

  @OutputField(() => Int, { description: 'Number of opportunities with this currency.', example: 40 })
  count!: number

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Sum of `amount`. Null if the profile hides `amount`.',
    example: 1_890_000,
  })
  amount!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Sum of `expectedRevenue`. Null if the profile hides `expectedRevenue`.',
    example: 712_500.5,
  })
  expectedRevenue!: ExactNumber | null
}

@ObjectType({
  description:
    'Statistics of the live opportunities that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('OPPORTUNITIES')
export class OpportunityStats {
  @Field(() => Int, { description: 'Number of opportunities.' })
  total!: number

  @Field(() => Int, {
    nullable: true,
    description: 'Number of open opportunities. Null if the profile hides `isClosed`.',
  })
  open!: number | null

  @Field(() => Int, { nullable: true, description: 'Number of won opportunities. Null if the profile hides `isWon`.' })
  won!: number | null

  @Field(() => Int, {
    nullable: true,
    description: 'Number of lost opportunities. Null if the profile hides `isClosed` or `isWon`.',
  })
  lost!: number | null

  @Field(() => Float, {
    nullable: true,
    description:
      'Share of the closed opportunities that are won, 0 to 1 with four decimals; null without closed ones, or if the profile hides `isClosed` or `isWon`.',
  })
  winRate!: number | null

  @Field(() => Json, {
    nullable: true,
    description:
      'Number of opportunities by `stage`, in all pipelines; a stage without opportunities is absent. Null if the profile hides `stage`.',
  })
  byStage!: Counts | null

  @Field(() => ForecastCategoryCounts, {
    nullable: true,
    description: 'Number of opportunities by `forecastCategory`. Null if the profile hides `forecastCategory`.',
  })
  byForecastCategory!: Counts | null

  @Field(() => OpportunityTypeCounts, {
    nullable: true,
    description: 'Number of opportunities by `type`. Null if the profile hides `type`.',
  })
  byType!: Counts | null

  @Field(() => [OpportunityCurrencyTotal], {
    description:
      'Sums of the open opportunities for each currency, ordered by currency; empty if the profile hides `currency` or `isClosed`.',
  })
  openByCurrency!: OpportunityCurrencyTotal[]
}

/** Sums by currency. Amounts of different currencies are never added. */
export const currencyFigures = {
  count: count<Opportunity>(),
  amount: sum<Opportunity>('amount'),
  expectedRevenue: sum<Opportunity>('expectedRevenue'),
}

const won = count<Opportunity>({ isWon: true })
const closed = count<Opportunity>({ isClosed: true })

export async function opportunityStats(ctx: RequestContext, filter: FilterInput | null): Promise<OpportunityStats> {
  const [own, openByCurrency] = await Promise.all([
    figures(
      ctx,
      opportunity,
      {
        total: count(),
        open: count({ isClosed: false }),
        won,
        lost: minus(closed, won),
        winRate: ratio(won, closed, 4),
        byStage: countBy('stage'),
        byForecastCategory: countBy('forecastCategory'),
        byType: countBy('type'),
      },
      filter,
    ),
    isHidden(ctx.caller, opportunity, 'isClosed')
      ? []
      : figuresBy(ctx, opportunity, ['currency'], currencyFigures, {
          filter: withCondition(filter, { isClosed: { eq: false } }),
        }),
  ])
  return { ...own, openByCurrency } as OpportunityStats
}
