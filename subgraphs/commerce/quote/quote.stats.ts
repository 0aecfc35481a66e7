import { Field, Int, ObjectType } from 'type-graphql'
import { baseSumOf, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
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

const conversion =
  'It is converted exactly at the exchange rates of today, and rounded once half to even. Quotes in a currency without an exchange rate are left out.'

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
    description:
      'Base currency of the organization as ISO 4217 code, the currency of `openAmount` and `acceptedAmount`.',
  })
  currency!: string

  @Field(() => Decimal, {
    description: `Sum of \`total\` of the open quotes (DRAFT, IN_REVIEW, APPROVED, SENT) in \`currency\`. ${conversion}`,
  })
  openAmount!: ExactNumber

  @Field(() => [CurrencyFigures], {
    description: '`total` of the open quotes (DRAFT, IN_REVIEW, APPROVED, SENT) by currency.',
  })
  openByCurrency!: CurrencyFigures[]

  @Field(() => Decimal, {
    description: `Sum of \`total\` of the quotes that customers accepted (ACCEPTED, CONVERTED) in \`currency\`. ${conversion}`,
  })
  acceptedAmount!: ExactNumber

  @Field(() => [CurrencyFigures], {
    description: '`total` of the quotes that customers accepted (ACCEPTED, CONVERTED) by currency.',
  })
  acceptedByCurrency!: CurrencyFigures[]
}

const open: readonly QuoteStatus[] = ['DRAFT', 'IN_REVIEW', 'APPROVED', 'SENT']
const accepted: readonly QuoteStatus[] = ['ACCEPTED', 'CONVERTED']

// No profile can hide the total, its currency or the status, because none of them is ever null.
async function amountsOf(
  ctx: RequestContext,
  statuses: readonly QuoteStatus[],
  given: FilterInput | null,
): Promise<CurrencyFigures[]> {
  const requested = { count: count<Quote>(), sum: sum<Quote>('total') }
  const filter = withCondition(given, { status: { in: [...statuses] } })
  return currencyFigures((await figuresBy(ctx, quote, ['currency'], requested, { filter })) as CurrencySum[])
}

export async function quoteStats(ctx: RequestContext, filter: FilterInput | null): Promise<QuoteStats> {
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
    amountsOf(ctx, open, filter),
    amountsOf(ctx, accepted, filter),
  ])
  const currencies = new Set([...openByCurrency, ...acceptedByCurrency].map(({ currency }) => currency))
  const rates = await ratesOf(ctx, [...currencies])
  return {
    ...counts,
    currency: rates.baseCurrency,
    openAmount: baseSumOf(rates, openByCurrency),
    openByCurrency,
    acceptedAmount: baseSumOf(rates, acceptedByCurrency),
    acceptedByCurrency,
  } as QuoteStats
}
