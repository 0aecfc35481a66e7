import { Field, Int, ObjectType } from 'type-graphql'
import { baseSumOf, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { CurrencyFigures, currencyFigures, type CurrencySum } from '../../kernel/record/currency-figures.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { CreditNoteStatus } from './credit-note.enumerations.ts'
import { creditNote } from './credit-note.record.ts'
import type { CreditNote } from './credit-note.ts'

const CreditNoteStatusCounts = valueCounts(CreditNoteStatus, 'INVOICES', 'credit notes')

@ObjectType({ description: 'Statistics of the live credit notes that the caller sees.' })
@RequiresScope('INVOICES')
export class CreditNoteStats {
  @Field(() => Int, { description: 'Number of credit notes.' })
  total!: number

  @Field(() => CreditNoteStatusCounts, { description: 'Number of credit notes by `status`.' })
  byStatus!: Counts

  @Field(() => Decimal, {
    description:
      'Sum of `amountLeft` in `currency`: converted exactly at the exchange rates of today, and rounded once half to even. Credit notes in a currency without an exchange rate are left out.',
  })
  totalLeft!: ExactNumber

  @Field(() => String, {
    description: 'Base currency of the organization as ISO 4217 code, the currency of `totalLeft`.',
  })
  currency!: string

  @Field(() => [CurrencyFigures], { description: '`amountLeft` of the ISSUED credit notes by currency.' })
  leftByCurrency!: CurrencyFigures[]
}

export async function creditNoteStats(ctx: RequestContext, filter: FilterInput | null): Promise<CreditNoteStats> {
  const [counts, sums] = await Promise.all([
    figures(ctx, creditNote, { total: count(), byStatus: countBy('status') }, filter),
    figuresBy(
      ctx,
      creditNote,
      ['currency'],
      { count: count<CreditNote>(), sum: sum<CreditNote>('amountLeft') },
      { filter: withCondition(filter, { status: { in: ['ISSUED'] } }) },
    ),
  ])
  // No profile can hide these columns, because they are never null.
  const leftByCurrency = currencyFigures(sums as CurrencySum[])
  const rates = await ratesOf(
    ctx,
    leftByCurrency.map(({ currency }) => currency),
  )
  return {
    ...counts,
    totalLeft: baseSumOf(rates, leftByCurrency),
    currency: rates.baseCurrency,
    leftByCurrency,
  } as CreditNoteStats
}
