import { Directive, Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../json/exact-number.ts'
import { decimalOf, exactNumberOfDecimal, roundToCurrency } from '../values/exact-decimal.ts'
import { Decimal } from './scalars.ts'
import type { Counts, Sums } from './stats.ts'

/** Statistics of an amount in one currency; amounts of several currencies cannot be added. */
@ObjectType({ description: 'Figures of the amounts in one currency.' })
@Directive('@shareable')
export class CurrencyFigures {
  @Field(() => String, { description: 'ISO 4217 code of the currency.' })
  currency!: string

  @Field(() => Int, { description: 'Number of records with an amount in this currency.' })
  count!: number

  @Field(() => Decimal, { description: 'Sum of the amounts in this currency.' })
  sum!: ExactNumber

  @Field(() => Decimal, {
    description: 'Average of the amounts in this currency, rounded half to even to the decimals of the currency.',
  })
  average!: ExactNumber
}

/** The figures of each currency, ordered by code. `sums` and `counts` are by currency. */
export const currencyFigures = (sums: Sums, counts: Counts): CurrencyFigures[] =>
  Object.keys(sums)
    .sort()
    .flatMap((currency) => {
      const [sum, count] = [sums[currency]!, counts[currency] ?? 0]
      if (count === 0) return []
      const average = exactNumberOfDecimal(roundToCurrency(decimalOf(sum).div(count), currency))
      return [{ currency, count, sum, average }]
    })
