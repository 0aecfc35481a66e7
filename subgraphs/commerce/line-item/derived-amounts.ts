import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { hasCurrency } from '../product/product.rules.ts'
import { completeLines, type SentLine } from './complete-lines.ts'
import type { LineItem } from './line-item.ts'
import type { PricedRecord } from './priced-record.ts'
import { pricingOf, pricingProblems } from './pricing.ts'

type Priced<L extends LineItem> = Pick<
  PricedRecord,
  'currency' | 'discountType' | 'discountValue' | 'shippingTotal' | 'subtotal' | 'discountTotal' | 'taxTotal' | 'total'
> & { lineItems: L[] }

/** The values from which all amounts follow. */
export const pricedFields = ['lineItems', 'currency', 'discountType', 'discountValue', 'shippingTotal'] as const

/**
 * The lines, the currency and the totals of a document after a change, for `derived` of its definition. Nothing is computed when
 * the change does not concern them.
 */
export async function derivedAmounts<L extends LineItem>(
  ctx: RequestContext,
  next: Priced<L>,
  previous: Priced<L> | null,
  given: Partial<Priced<L>>,
): Promise<Partial<Priced<L>>> {
  if (previous && pricedFields.every((name) => !(name in given))) return {}
  const { currency: wanted = null } = given
  const keepsLines = given.lineItems === undefined
  if (keepsLines && previous && wanted !== null && wanted !== previous.currency && previous.lineItems.length > 0) {
    const message = 'lineItems is required with another currency; send the lines with their prices in it.'
    throw invalid({ path: 'lineItems', code: 'REQUIRED', message })
  }
  const { lines, currency, problems } =
    keepsLines && previous
      ? { lines: previous.lineItems, currency: wanted ?? previous.currency, problems: [] }
      : await completeLines<L>(
          ctx,
          next.lineItems as SentLine<L>[],
          previous?.lineItems ?? [],
          wanted ?? previous?.currency ?? null,
        )
  const header = { ...next, currency }
  const refused = [...hasCurrency({ currency }), ...problems]
  if (refused.length === 0) refused.push(...pricingProblems(lines, header))
  if (refused.length > 0) throw invalid(...refused)
  const { lines: amounts, ...totals } = pricingOf(lines, header)
  return { ...totals, currency, lineItems: lines.map((line, index) => ({ ...line, ...amounts[index]! })) }
}
