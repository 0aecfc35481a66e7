import { currencyDecimals } from '../../kernel/values/currency.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf } from '../../kernel/json/exact-number.ts'
import type { Product } from './product.ts'

type Priced = Pick<Product, 'listPrice' | 'currency' | 'billingFrequency'>

/**
 * A list price must be an amount that can be paid, so its decimals are limited by the currency. The price of a single use may have more
 * decimals, because it is multiplied by the number of uses; so may unit and cost prices, because a quantity multiplies them.
 */
export function isPayable(next: Priced, previous: Priced | null): FieldProblem[] {
  if (next.billingFrequency === 'USAGE_BASED') return []
  const isUnchanged =
    previous?.currency === next.currency &&
    previous.billingFrequency === next.billingFrequency &&
    JSON.stringify(previous.listPrice) === JSON.stringify(next.listPrice)
  const decimals = currencyDecimals(next.currency)
  // A stored price that breaks this rule is accepted until the price, the currency or the billing frequency changes.
  if (isUnchanged || (decimalsOf(next.listPrice) ?? Infinity) <= decimals) return []
  const message = `listPrice must have at most ${decimals} decimals in ${next.currency}, unless billingFrequency is USAGE_BASED.`
  return [{ path: 'listPrice', code: 'TOO_PRECISE', message }]
}
