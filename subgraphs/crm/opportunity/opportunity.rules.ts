import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { Opportunity } from './opportunity.ts'

/** An amount that is paid has at most the decimals of its currency. */
export function amountFitsCurrency({ amount, currency }: Pick<Opportunity, 'amount' | 'currency'>): FieldProblem[] {
  const decimals = currencyDecimals(currency)
  if ((decimalsOf(amount) ?? Infinity) <= decimals) return []
  const message = `amount must have at most ${decimals} decimals in ${currency}.`
  return [{ path: 'amount', code: 'TOO_PRECISE', message }]
}

/** Values that follow from the others: the expected revenue, the first close date, and how often the close date was moved to a later time. */
export function calculatedValues(
  next: Opportunity,
  previous: Opportunity | null,
  given: Partial<Opportunity>,
): Partial<Opportunity> {
  const expectedRevenue = exactOf(decimalOf(next.amount).times(decimalOf(next.probability)).times('0.01'))
  if (!previous) return { expectedRevenue, originalCloseDate: given.originalCloseDate ?? next.closeDate }
  const isPushed = !previous.isClosed && Date.parse(next.closeDate) > Date.parse(previous.closeDate)
  return { expectedRevenue, closeDatePushCount: previous.closeDatePushCount + (isPushed ? 1 : 0) }
}
