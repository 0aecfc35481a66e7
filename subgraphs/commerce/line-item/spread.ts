import { Big } from 'big.js'
import { sumOf, zero } from '../../kernel/values/decimal.ts'

/** A `Big` whose divisions give whole numbers, rounded down. */
const Whole = Big()
Whole.DP = 0
Whole.RM = 0

/**
 * Divides an amount between lines in proportion to their values, in whole units of the smallest coin, so that the shares together are
 * exactly the amount. Units that remain go to the lines whose share was rounded down most (the largest remainder method). The amount
 * must be at most the sum of the values; no share is then more than the value of its line.
 */
export function spread(amount: Big, values: readonly Big[], decimals: number): Big[] {
  const unit = new Big(10).pow(decimals)
  const units = amount.times(unit)
  const weights = values.map((value) => value.times(unit))
  const whole = sumOf(weights)
  if (units.eq(zero) || whole.eq(zero)) return values.map(() => zero)
  const shares = weights.map((weight) => {
    const product = new Whole(units.times(weight))
    const share = product.div(whole)
    return { share: new Big(share), remainder: product.minus(share.times(whole)) }
  })
  const missing = units.minus(sumOf(shares.map(({ share }) => share))).toNumber()
  // The sort is stable: of equal remainders, the first line gets the unit.
  const order = shares.map((_, index) => index).sort((a, b) => shares[b]!.remainder.cmp(shares[a]!.remainder))
  const increased = new Set(order.slice(0, missing))
  const coin = new Big(1).div(unit)
  return shares.map(({ share }, index) => (increased.has(index) ? share.plus(1) : share).times(coin))
}
