import type { OrderLineItem } from '../commerce/order/order-line.ts'
import type { Order } from '../commerce/order/order.ts'
import { fulfilledLines } from '../commerce/order/order.fulfilment.ts'
import type { Quote } from '../commerce/quote/quote.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, iso, minuteMs, timeBetween } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import type { DemoQuote } from './quotes.ts'
import { Random } from './random.ts'
import { cancelReasons, returnReasons } from './vocabulary/quotes.ts'

export interface DemoOrders {
  readonly orders: readonly GeneratedRecord<Order>[]
  /** The quotes, as they are after some became orders. */
  readonly quotes: readonly DemoQuote[]
}

/** Orders of accepted quotes, in the order of their creation and numbered from one. */
export function demoOrders(input: GeneratorInput, quotes: readonly DemoQuote[]): DemoOrders {
  const { profile } = input
  const random = new Random(`orders ${profile.code}`)
  const accepted = quotes.filter(({ given }) => given.values.status === 'ACCEPTED')
  const made = random
    .some(accepted, profile.orders, profile.orders)
    .map((quote) => [quote, orderOf(input, random, quote)] as const)
    .toSorted(([, one], [, other]) => Date.parse(one.values.createdAt) - Date.parse(other.values.createdAt))
  const orderByQuote = new Map(made.map(([quote, order]) => [quote, order]))
  return {
    orders: made.map(([, order], index) => ({ ...order, values: { ...order.values, number: index + 1 } })),
    quotes: quotes.map((quote) => {
      const order = orderByQuote.get(quote)
      return order ? { ...quote, given: { ...quote.given, values: converted(quote.given.values, order) } } : quote
    }),
  }
}

type QuoteValues = GeneratedRecord<Quote>['values']

const converted = (quote: QuoteValues, { values }: GeneratedRecord<Order>): QuoteValues => ({
  ...quote,
  status: 'CONVERTED',
  orderId: values.id,
  updatedAt: values.createdAt,
  updatedById: values.createdById!,
})

function orderOf(input: GeneratorInput, random: Random, { given, opportunity }: DemoQuote): GeneratedRecord<Order> {
  const { values: quote } = given
  const { owner, account } = opportunity
  const acceptedMs = Date.parse(quote.acceptedAt!)
  const orderMs = timeBetween(random, acceptedMs, Math.min(acceptedMs + 3 * dayMs, input.midnightMs - 10 * minuteMs))
  const { billingStreet, billingCity, billingState, billingPostalCode, billingCountry } = account.given.values
  const address = {
    street: billingStreet ?? null,
    city: billingCity ?? null,
    state: billingState ?? null,
    postalCode: billingPostalCode ?? null,
    country: billingCountry ?? null,
  }
  const lineItems = quote.lineItems!.map((line) => ({ ...line, quantityFulfilled: 0, quantityInvoiced: 0 }))
  const { opportunityId, accountId, contactId, currency, discountType, discountValue, shippingTotal } = quote
  const values = {
    ...commonFields(input, random, orderMs, owner.id),
    ownerId: owner.id,
    quoteId: quote.id,
    opportunityId,
    accountId,
    contactId,
    currency,
    discountType,
    discountValue,
    shippingTotal,
    paymentTerms: quote.paymentTerms!,
    terms: quote.terms ?? null,
    orderDate: iso(orderMs),
    requestedDate: random.chance(0.6) ? iso(Math.floor(orderMs / dayMs) * dayMs + random.whole(20, 60) * dayMs) : null,
    purchaseOrderNumber: random.chance(0.65) ? random.digits('PO-4#####') : null,
    billingAddress: address,
    shippingAddress: random.chance(0.8) ? address : null,
    ...progressOf(input, random, lineItems, orderMs, owner.id),
  }
  return { values, actorId: owner.id, eventId: random.id(orderMs) }
}

type Status = 'DRAFT' | 'CONFIRMED' | 'PROCESSING' | 'PARTIALLY_FULFILLED' | 'FULFILLED' | 'CANCELLED' | 'RETURNED'

/** The older an order is, the further it has come. */
function statusOf(random: Random, ageDays: number): Status {
  if (ageDays < 16) return random.weighted({ DRAFT: 45, CONFIRMED: 55 })
  if (ageDays < 30) return random.weighted({ CONFIRMED: 40, PROCESSING: 60 })
  if (ageDays < 55) return random.weighted({ PROCESSING: 35, PARTIALLY_FULFILLED: 35, FULFILLED: 30 })
  return random.weighted({ FULFILLED: 80, CANCELLED: 7, RETURNED: 7, PARTIALLY_FULFILLED: 6 })
}

/** The states that an order passes through, with their times; each needs the one before it. */
function progressOf(
  { midnightMs }: GeneratorInput,
  random: Random,
  lines: readonly OrderLineItem[],
  orderMs: number,
  ownerId: string,
) {
  const status = statusOf(random, (midnightMs - orderMs) / dayMs)
  const latestMs = midnightMs - minuteMs
  const after = (fromMs: number, days: number) => timeBetween(random, fromMs, Math.min(fromMs + days * dayMs, latestMs))
  const changed = (atMs: number) => ({ updatedAt: iso(atMs), updatedById: ownerId })
  if (status === 'DRAFT') return { status, lineItems: [...lines] }
  const confirmedMs = after(orderMs, 3)
  const confirmed = { confirmedAt: iso(confirmedMs), lineItems: [...lines] }
  if (status === 'CONFIRMED') return { ...confirmed, status, ...changed(confirmedMs) }
  const processedMs = after(confirmedMs, 6)
  if (status === 'PROCESSING') return { ...confirmed, status, ...changed(processedMs) }
  if (status === 'CANCELLED') {
    const cancel = { cancelledAt: iso(processedMs), cancelReason: random.pick(cancelReasons) }
    return { ...confirmed, ...cancel, status, ...changed(processedMs) }
  }
  const deliveredMs = after(processedMs, 25)
  if (status === 'PARTIALLY_FULFILLED') {
    const [{ id, quantity }] = lines as [OrderLineItem]
    const half = Number(quantity) > 1 ? Math.floor(Number(quantity) / 2) : 1
    const partial = lines.length > 1 ? quantity : half
    const lineItems = fulfilledLines(lines, [{ lineItemId: id, quantity: partial }])
    const isWhole = lines.length === 1 && half === Number(quantity)
    if (!isWhole) return { ...confirmed, status, lineItems, ...changed(deliveredMs) }
  }
  const isPaid = random.chance(0.8)
  const lineItems = fulfilledLines(lines, null).map((line) => ({ ...line, quantityInvoiced: line.quantity }))
  const fulfilled = {
    ...confirmed,
    lineItems,
    fulfilledAt: iso(deliveredMs),
    invoiceStatus: 'INVOICED' as const,
    paymentStatus: isPaid ? ('PAID' as const) : random.weighted({ UNPAID: 70, PARTIALLY_PAID: 30 }),
    ...changed(deliveredMs),
  }
  if (status !== 'RETURNED') return { ...fulfilled, status: 'FULFILLED' as const }
  const returnedMs = after(deliveredMs, 30)
  const back = { returnedAt: iso(returnedMs), returnReason: random.pick(returnReasons) }
  return { ...fulfilled, ...back, status, paymentStatus: 'REFUNDED' as const, ...changed(returnedMs) }
}
