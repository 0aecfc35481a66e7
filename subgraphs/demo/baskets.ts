import type { Product } from '../commerce/product/product.ts'
import { pricingOf, type PricedLine } from '../commerce/line-item/pricing.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { GeneratorInput } from './organization.ts'
import type { Random } from './random.ts'

type DemoProduct = GeneratedRecord<Product>['values'] & { readonly name: string }

/** A line that a customer may buy. */
export interface BasketLine extends PricedLine {
  readonly product: DemoProduct
  readonly description: string | null
}

/** What a customer may buy, with prices in the currency of the deal. The first line is what the deal is about. */
export interface Basket {
  readonly currency: string
  readonly lines: readonly BasketLine[]
}

interface BasketInput {
  readonly input: GeneratorInput
  readonly random: Random
  readonly products: readonly GeneratedRecord<Product>[]
  readonly currency: string
  /** Value of one unit of the currency in that of the products. */
  readonly rate: number
  readonly taxRate: number
}

/** The main product of the deal, and mostly devices, services and support that go with it. */
export function basketOf({ input, random, products, currency, rate, taxRate }: BasketInput): Basket {
  const sold = products
    .map(({ values }) => values as DemoProduct)
    .filter(({ isActive, billingFrequency }) => isActive && billingFrequency !== 'USAGE_BASED')
  const main = random.pick(
    sold.filter(({ category, type }) => category === input.profile.mainCategory && type !== 'LICENSE'),
  )
  const others = sold.filter((product) => product !== main && product.category !== 'OTHER')
  const chosen = [main, ...random.some(others, 0, 3)]
  const discountPercent = Number(random.weighted({ '0': 50, '5': 25, '10': 18, '15': 7 }))
  const lines = chosen.map((product) => {
    const price = Number(product.unitPrice ?? product.listPrice)
    return {
      product,
      ...quantityOf(random, product),
      // Prices in another currency are rounded, as on a price list.
      unitPrice: rate === 1 ? price : Math.max(1, Math.round(price / rate)),
      discountPercent,
      discountAmount: 0,
      taxRate,
    }
  })
  return { currency, lines }
}

/** Subscriptions are sold for a year: a monthly one in months. */
function quantityOf(random: Random, { billingFrequency, category }: DemoProduct) {
  const units = category === 'HARDWARE' ? Math.round(random.skewed(1, 24)) : Math.round(random.skewed(1, 3))
  const [perYear, period] =
    billingFrequency === 'MONTHLY' ? [12, 'months'] : billingFrequency === 'QUARTERLY' ? [4, 'quarters'] : [1, null]
  const sites = units === 1 ? 'one site' : `${units} sites`
  return { quantity: units * perYear, description: period && `${perYear} ${period} for ${sites}` }
}

/** Value of the basket after discounts, without tax. */
export const valueOf = ({ currency, lines }: Basket) =>
  pricingOf(lines, { currency, discountType: null, discountValue: null, shippingTotal: 0 }).subtotal
