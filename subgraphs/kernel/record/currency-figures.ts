import { Directive, Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../json/exact-number.ts'
import { decimalOf, exactOf, roundToCurrency } from '../values/decimal.ts'
import { Decimal } from './scalars.ts'

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

/** The amounts of one currency: how many they are, and their sum. */
export type CurrencySum = Pick<CurrencyFigures, 'currency' | 'count' | 'sum'>

/** The figures of each currency with their averages. */
export const currencyFigures = (sums: readonly CurrencySum[]): CurrencyFigures[] =>
  sums.map(({ currency, count, sum }) => {
    const average = exactOf(roundToCurrency(decimalOf(sum).div(count), currency))
    return { currency, count, sum, average }
  })
