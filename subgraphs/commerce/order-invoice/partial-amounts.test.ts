import { describe, expect, it } from 'vitest'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import { pricingOf } from '../line-item/pricing.ts'
import type { OrderLineItem } from '../order/order-line.ts'
import { partialAmounts, type PartialAmounts } from './partial-amounts.ts'

const amounts = ['subtotal', 'discountTotal', 'taxTotal', 'shippingTotal', 'total'] as const
const amountsOfLine = ['lineTotal', 'discountShare', 'taxAmount', 'discountAmount'] as const

/** An order of seven units of one line and three of another, with a discount and taxes that do not divide evenly. */
function anOrder(currency: string) {
  const lines = [
    { quantity: 7, unitPrice: 333, discountPercent: 3, discountAmount: 0, taxRate: 19 },
    { quantity: 3, unitPrice: 101, discountPercent: 0, discountAmount: 1, taxRate: 7 },
  ]
  const header = { currency, discountType: 'AMOUNT', discountValue: 100, shippingTotal: 5 } as const
  const { lines: priced, ...totals } = pricingOf(lines, header)
  const lineItems = lines.map((line, index) => ({ id: `line ${index}`, ...line, ...priced[index]! }) as OrderLineItem)
  return { currency, lineItems, ...totals, shippingTotal: 5 }
}

describe.each(['JPY', 'EUR', 'KWD'])('the invoices of an order in %s', (currency) => {
  const order = anOrder(currency)
  const invoices: PartialAmounts[] = []
  for (const [first, second] of [
    [1, 1],
    [1, 0],
    [2, 1],
    [3, 1],
  ] as const) {
    const quantities = Object.entries({ 'line 0': first, 'line 1': second }).filter(([, quantity]) => quantity > 0)
    invoices.push(partialAmounts(order, invoices, new Map(quantities)))
  }

  it('have the amounts of the order together', () => {
    const together = amounts.map((name) => exactOf(sumOf(invoices.map((invoice) => decimalOf(invoice[name])))))
    expect(together).toEqual(amounts.map((name) => order[name]))
  })

  it('have no amount with more decimals than the currency', () => {
    const decimals = currencyDecimals(currency)
    const all = invoices.flatMap((invoice) => [
      ...amounts.map((name) => invoice[name]),
      ...invoice.lineItems.flatMap((line) => amountsOfLine.map((name) => line[name])),
    ])
    expect(all.filter((amount) => !decimalOf(amount).eq(decimalOf(amount).round(decimals)))).toEqual([])
  })
})
