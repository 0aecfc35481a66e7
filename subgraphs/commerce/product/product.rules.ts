import { currencyDecimals } from '../../kernel/currency.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf } from '../../kernel/exact-number.ts'
import type { Product } from './product.ts'

type Priced = Pick<Product, 'listPrice' | 'currency' | 'billingFrequency'>

export function hasCurrency({ currency }: Pick<Product, 'currency'>): FieldProblem[] {
  if (/^[A-Z]{3}$/.test(currency)) return []
  const message = 'currency is a three-letter ISO 4217 code, for example USD.'
  return [{ path: 'currency', code: 'NOT_A_CURRENCY', message }]
}

/**
 * A list price is an amount that can be paid. The price of one use is not: only many of them make up an amount. Unit and cost prices
 * may be finer as well, because a quantity multiplies them.
 */
export function isPayable(next: Priced, previous: Priced | null): FieldProblem[] {
  if (next.billingFrequency === 'USAGE_BASED') return []
  const isAsBefore =
    previous?.currency === next.currency &&
    previous.billingFrequency === next.billingFrequency &&
    JSON.stringify(previous.listPrice) === JSON.stringify(next.listPrice)
  const decimals = currencyDecimals(next.currency)
  // What was stored before there was this rule stays until the price changes.
  if (isAsBefore || (decimalsOf(next.listPrice) ?? Infinity) <= decimals) return []
  const message = `listPrice has at most ${decimals} decimals in ${next.currency}, unless billingFrequency is USAGE_BASED.`
  return [{ path: 'listPrice', code: 'TOO_PRECISE', message }]
}
