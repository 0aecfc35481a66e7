import { baseCurrencyOf } from '../../identity/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import type { OrgRecord } from '../../kernel/record/org-record.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { hasCurrency } from '../../kernel/values/currency.ts'
import { completeLines, type SentLine } from './complete-lines.ts'
import type { LineItem } from './line-item.ts'
import type { PricedRecord } from './priced-record.ts'
import { pricingOf, pricingProblems } from './pricing.ts'

type Priced<L extends LineItem> = Omit<PricedRecord, keyof OrgRecord> & { lineItems: L[] }

/** The values from which all amounts follow. */
const pricedFields = ['lineItems', 'currency', 'discountType', 'discountValue', 'shippingTotal'] as const

/**
 * The lines that were sent with ids and with what their products say, and the currency: for `decide` of a definition. The amounts
 * are not computed yet.
 */
export async function sentLines<L extends LineItem>(
  ctx: RequestContext,
  given: Partial<Pick<Priced<L>, 'lineItems' | 'currency'>>,
  previous: Pick<Priced<L>, 'lineItems' | 'currency'> | null,
): Promise<Partial<Pick<Priced<L>, 'lineItems' | 'currency'>>> {
  const { lineItems } = given
  const currency = given.currency ?? null
  if (lineItems) {
    const wanted = currency ?? previous?.currency ?? null
    const completed = await completeLines<L>(ctx, lineItems as SentLine<L>[], previous?.lineItems ?? [], wanted)
    if (completed.problems.length > 0) throw invalid(...completed.problems)
    return { lineItems: completed.lines, currency: completed.currency }
  }
  if (!previous) return { currency: currency ?? (await baseCurrencyOf(ctx)) }
  if (currency !== null && currency !== previous.currency && previous.lineItems.length > 0) {
    const message = 'lineItems is required with another currency; send the lines with their prices in it.'
    throw invalid({ path: 'lineItems', code: 'REQUIRED', message })
  }
  return {}
}

/** All amounts of a document, for `calculated` of its definition. Nothing is computed when the change does not concern them. */
export function calculatedAmounts<L extends LineItem>(
  next: Priced<L>,
  previous: Priced<L> | null,
  given: Partial<Priced<L>>,
): Partial<Priced<L>> {
  if (previous && pricedFields.every((name) => !(name in given))) return {}
  const { lines, ...totals } = pricingOf(next.lineItems, next)
  return { ...totals, lineItems: next.lineItems.map((line, index) => ({ ...line, ...lines[index]! })) }
}

/** What is wrong with the prices of a document, for `invariants` of its definition. */
export function amountProblems<L extends LineItem>(next: Priced<L>, previous: Priced<L> | null): FieldProblem[] {
  if (previous && pricedFields.every((name) => next[name] === previous[name])) return []
  const problems = hasCurrency(next, previous)
  return problems.length > 0 ? problems : pricingProblems(next.lineItems, next)
}
