import type { LineItem } from '../commerce/line-item/line-item.ts'
import { pricingOf } from '../commerce/line-item/pricing.ts'
import type { Basket } from './baskets.ts'
import { dayMs, iso } from './calendar.ts'
import { amountKnownMs, isValued } from './deal-fields.ts'
import type { DemoOpportunity } from './opportunities.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** The lines with ids, and with what the products say. Subscriptions run for a year. */
export function linesOf(random: Random, { lines }: Basket, startMs: number): LineItem[] {
  const startDate = iso(Math.floor(startMs / dayMs) * dayMs + 45 * dayMs)
  const endDate = iso(Date.parse(startDate) + 365 * dayMs - 1)
  return lines.map(({ product, description, ...priced }, index) => {
    const isService = product.billingFrequency !== 'ONE_TIME'
    return {
      ...priced,
      id: random.id(startMs),
      productId: product.id,
      sku: product.sku ?? null,
      name: product.name,
      description,
      listPrice: product.unitPrice === priced.unitPrice ? (product.listPrice ?? null) : null,
      billingFrequency: product.billingFrequency!,
      startDate: isService ? startDate : null,
      endDate: isService ? endDate : null,
      sortOrder: index,
      lineTotal: 0,
      discountShare: 0,
      taxAmount: 0,
    }
  })
}

/** The deals with the lines that give them their amount, from the analysis of the needs on. */
export function withLines(input: GeneratorInput, opportunities: readonly DemoOpportunity[]): DemoOpportunity[] {
  const random = new Random(`lines of opportunities ${input.profile.code}`)
  return opportunities.map((deal) => {
    const { basket, visits, given } = deal
    if (!isValued(visits)) return deal
    const lines = linesOf(random, basket, amountKnownMs(visits))
    const header = { currency: basket.currency, discountType: null, discountValue: null, shippingTotal: 0 }
    const { lines: amounts } = pricingOf(lines, header)
    const lineItems = lines.map((line, index) => ({ ...line, ...amounts[index]! }))
    return { ...deal, given: { ...given, values: { ...given.values, lineItems } } }
  })
}
