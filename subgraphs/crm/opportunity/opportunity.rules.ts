import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf, exactProduct, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import type { Opportunity } from './opportunity.ts'

/** An amount that is paid has at most the decimals of its currency. */
export function amountFitsCurrency({ amount, currency }: Pick<Opportunity, 'amount' | 'currency'>): FieldProblem[] {
  const decimals = currencyDecimals(currency)
  if ((decimalsOf(amount) ?? Infinity) <= decimals) return []
  const message = `amount must have at most ${decimals} decimals in ${currency}.`
  return [{ path: 'amount', code: 'TOO_PRECISE', message }]
}

export const expectedRevenue = (amount: ExactNumber, probability: ExactNumber): ExactNumber =>
  exactProduct(amount, probability, -2)
