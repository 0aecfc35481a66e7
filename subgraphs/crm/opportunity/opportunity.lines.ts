import { pricingOf, pricingProblems, sentLines, type LineItem } from '../../commerce/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyProblems } from '../../kernel/values/currency.ts'
import type { Opportunity } from './opportunity.ts'

type Priced = Partial<Pick<Opportunity, 'lineItems' | 'currency' | 'amount'>>

/**
 * The lines that were sent, with their amounts and with what their products say, and the amount of the deal: the sum of its lines,
 * unless the same change sets the amount. A deal has no discount, tax or shipping of its own; its quotes do.
 */
export async function pricedLines(
  ctx: RequestContext,
  given: Partial<Opportunity>,
  previous: Opportunity | null,
): Promise<Priced> {
  const changesCurrency = given.currency !== undefined && (previous?.lineItems.length ?? 0) > 0
  if (!given.lineItems && !changesCurrency) return {}
  const { lineItems: sent, currency } = await sentLines<LineItem>(ctx, given, previous)
  if (!sent || currency === undefined) return {}
  const lines = sent.map((line) => ({
    ...line,
    discountPercent: line.discountPercent ?? 0,
    discountAmount: line.discountAmount ?? 0,
    taxRate: line.taxRate ?? 0,
  }))
  const header = { currency, discountType: null, discountValue: null, shippingTotal: 0 }
  const unknown = currencyProblems('currency', currency)
  const problems = unknown.length > 0 ? unknown : pricingProblems(lines, header)
  if (problems.length > 0) throw invalid(...problems)
  const { lines: amounts, subtotal } = pricingOf(lines, header)
  return {
    lineItems: lines.map((line, index) => ({ ...line, ...amounts[index]! })),
    currency,
    ...(given.amount === undefined && lines.length > 0 && { amount: subtotal }),
  }
}
