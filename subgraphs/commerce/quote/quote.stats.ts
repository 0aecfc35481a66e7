import { Field, Int, ObjectType } from 'type-graphql'
import { baseSumOf, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { ratedSums } from '../../kernel/record/aggregate/rated-sums.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { CurrencyFigures, currencyFigures, type CurrencySum } from '../../kernel/record/currency-figures.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { quote } from './quote.record.ts'
import type { Quote } from './quote.ts'
import { QuoteApprovalStatus, QuoteStatus } from './quote.enumerations.ts'

const QuoteStatusCounts = valueCounts(QuoteStatus, 'QUOTES', 'quotes')
const QuoteApprovalStatusCounts = valueCounts(QuoteApprovalStatus, 'QUOTES', 'quotes')

const rounding = 'and the sum is rounded once half to even. Quotes in a currency without an exchange rate are left out.'

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

  @Field(() => String, {
    description: 'Base currency of the organization as ISO 4217 code, the currency of `totalOpen` and `totalAccepted`.',
  })
  currency!: string

  @Field(() => Decimal, {
    description: `Sum of \`total\` of the open quotes (DRAFT, IN_REVIEW, APPROVED, SENT) in \`currency\`. It is converted exactly at the exchange rates of today, ${rounding}`,
  })
  totalOpen!: ExactNumber

  @Field(() => Decimal, {
    description: 'Deprecated: the same as `totalOpen`.',
    deprecationReason: 'Use `totalOpen`.',
  })
  openAmount!: ExactNumber

  @Field(() => [CurrencyFigures], {
    description: '`total` of the open quotes (DRAFT, IN_REVIEW, APPROVED, SENT) by currency.',
  })
  openByCurrency!: CurrencyFigures[]

  @Field(() => Decimal, {
    description: `Sum of \`total\` of the quotes that customers accepted (ACCEPTED, CONVERTED) in \`currency\`. Each is converted exactly at the exchange rate of the day of \`acceptedAt\`, ${rounding}`,
  })
  totalAccepted!: ExactNumber

  @Field(() => Decimal, {
    description: 'Deprecated: the same as `totalAccepted`.',
    deprecationReason: 'Use `totalAccepted`.',
  })
  acceptedAmount!: ExactNumber

  @Field(() => [CurrencyFigures], {
    description: '`total` of the quotes that customers accepted (ACCEPTED, CONVERTED) by currency.',
  })
  acceptedByCurrency!: CurrencyFigures[]
}

const open: readonly QuoteStatus[] = ['DRAFT', 'IN_REVIEW', 'APPROVED', 'SENT']
const accepted: readonly QuoteStatus[] = ['ACCEPTED', 'CONVERTED']

const withStatus = (filter: FilterInput | null, statuses: readonly QuoteStatus[]): FilterInput =>
  withCondition(filter, { status: { in: [...statuses] } })

// No profile can hide the total, its currency or the status, because none of them is ever null.
async function amountsOf(ctx: RequestContext, filter: FilterInput): Promise<CurrencyFigures[]> {
  const requested = { count: count<Quote>(), sum: sum<Quote>('total') }
  return currencyFigures((await figuresBy(ctx, quote, ['currency'], requested, { filter })) as CurrencySum[])
}

export async function quoteStats(ctx: RequestContext, filter: FilterInput | null): Promise<QuoteStats> {
  const ofAccepted = withStatus(filter, accepted)
  const [counts, openByCurrency, acceptedByCurrency] = await Promise.all([
    figures(
      ctx,
      quote,
      {
        total: count(),
        byStatus: countBy('status'),
        byApprovalStatus: countBy('approvalStatus'),
        primary: count({ isPrimary: true }),
      },
      filter,
    ),
    amountsOf(ctx, withStatus(filter, open)),
    amountsOf(ctx, ofAccepted),
  ])
  const currenciesOf = (some: readonly CurrencyFigures[]) => some.map(({ currency }) => currency)
  const [rates, { total: totalAccepted }] = await Promise.all([
    ratesOf(ctx, currenciesOf(openByCurrency)),
    ratedSums(ctx, quote, ['total'], ofAccepted, currenciesOf(acceptedByCurrency)),
  ])
  const totalOpen = baseSumOf(rates, openByCurrency)
  return {
    ...counts,
    currency: rates.baseCurrency,
    totalOpen,
    openAmount: totalOpen,
    openByCurrency,
    totalAccepted,
    acceptedAmount: totalAccepted,
    acceptedByCurrency,
  } as QuoteStats
}
