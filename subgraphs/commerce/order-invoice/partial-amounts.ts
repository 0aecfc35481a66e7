import type { Big } from 'big.js'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf, rounded, sumOf, zero } from '../../kernel/values/decimal.ts'
import type { LineItem } from '../line-item/line-item.ts'
import type { Order } from '../order/order.ts'
import type { OrderInvoice } from './sync-order.ts'

/** The amounts of an invoice over a part of an order. */
export interface PartialAmounts {
  readonly lineItems: LineItem[]
  readonly subtotal: ExactNumber
  readonly discountTotal: ExactNumber
  readonly taxTotal: ExactNumber
  readonly shippingTotal: ExactNumber
  readonly total: ExactNumber
}

const shared = ['lineTotal', 'discountShare', 'taxAmount', 'discountAmount'] as const
type Shared = (typeof shared)[number]

const positive = (amount: Big): Big => (amount.lt(zero) ? zero : amount)

/**
 * The amounts of these quantities of an order. Each amount of a line is its share of the amount of the whole line by all quantities up to
 * now, rounded, less what earlier invoices have of it. So the invoices of all quantities have exactly the total of the order together,
 * in whatever parts. Shipping is on the first invoice.
 */
export function partialAmounts(
  { lineItems, currency, shippingTotal }: Pick<Order, 'lineItems' | 'currency' | 'shippingTotal'>,
  earlier: readonly Pick<OrderInvoice, 'lineItems' | 'shippingTotal'>[],
  quantities: ReadonlyMap<string, ExactNumber>,
): PartialAmounts {
  const decimals = currencyDecimals(currency)
  const lines = lineItems.flatMap((line): LineItem[] => {
    const given = quantities.get(line.id)
    if (given === undefined) return []
    const before = earlier.flatMap(({ lineItems: all }) => all.filter(({ id }) => id === line.id))
    const quantity = decimalOf(given)
    const whole = decimalOf(line.quantity)
    const reached = sumOf(before.map((one) => decimalOf(one.quantity))).plus(quantity)
    const shareOf = (name: Shared): ExactNumber => {
      const upToNow = reached.eq(whole)
        ? decimalOf(line[name])
        : rounded(decimalOf(line[name]).times(reached).div(whole), decimals)
      return exactOf(positive(upToNow.minus(sumOf(before.map((one) => decimalOf(one[name]))))))
    }
    const { quantityFulfilled: _fulfilled, quantityInvoiced: _invoiced, ...copied } = line
    const amounts = Object.fromEntries(shared.map((name) => [name, shareOf(name)]))
    return [{ ...copied, ...amounts, quantity: given } as LineItem]
  })
  const sum = (name: Shared): Big => sumOf(lines.map((line) => decimalOf(line[name])))
  const invoicedShipping = sumOf(earlier.map((one) => decimalOf(one.shippingTotal)))
  const shipping = positive(decimalOf(shippingTotal).minus(invoicedShipping))
  const [subtotal, discountTotal, taxTotal] = [sum('lineTotal'), sum('discountShare'), sum('taxAmount')]
  return {
    lineItems: lines.map((line, sortOrder) => ({ ...line, sortOrder })),
    subtotal: exactOf(subtotal),
    discountTotal: exactOf(discountTotal),
    taxTotal: exactOf(taxTotal),
    shippingTotal: exactOf(shipping),
    total: exactOf(subtotal.minus(discountTotal).plus(taxTotal).plus(shipping)),
  }
}
