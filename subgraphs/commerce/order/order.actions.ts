import { invalid } from '../../kernel/errors.ts'
import { changeStatus } from '../../kernel/record/change-status.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { refusalInState, requireNewStatus } from '../../kernel/record/transitions.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Quote } from '../quote/quote.ts'
import { deliveryProblems, fulfilledLines, isFulfilled, type Delivery } from './order.fulfilment.ts'
import { order } from './order.record.ts'
import type { OrderLineItem } from './order-line.ts'
import { hasLines, orderStates } from './order.status.ts'
import type { Order } from './order.ts'

type Version = number | null

/** The customer and the organization agree on the order; its lines are frozen. */
export const confirmOrder = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Order> =>
  changeStatus(ctx, order, id, 'CONFIRMED', expectedVersion, async (previous, confirmedAt, inner) => {
    if (hasLines(previous)) return { implied: { confirmedAt }, events: ['order.confirmed'] }
    const message = 'An order without lines cannot be confirmed; add lines first.'
    throw await refusalInState(inner, orderStates, previous, message)
  })

export const processOrder = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Order> =>
  changeStatus(ctx, order, id, 'PROCESSING', expectedVersion)

/** Adds delivered quantities, all open ones if `deliveries` is null. The order is FULFILLED when nothing is open. */
export const fulfillOrder = (
  ctx: RequestContext,
  id: string,
  deliveries: readonly Delivery[] | null | undefined,
  expectedVersion: Version,
): Promise<Order> =>
  change(
    ctx,
    order,
    id,
    async (previous, inner) => {
      await requireNewStatus(inner, orderStates, previous, 'FULFILLED')
      if (deliveries?.length === 0)
        throw invalid({
          path: 'lines',
          code: 'TOO_FEW',
          message: 'lines must have at least 1 item; null delivers all.',
        })
      const problems = deliveryProblems(previous.lineItems, deliveries ?? [])
      if (problems.length > 0) throw invalid(...problems)
      const lineItems = fulfilledLines(previous.lineItems, deliveries ?? null)
      return { operation: 'UPDATE', values: {}, ...delivered(lineItems, inner.clock.now().toISOString()) }
    },
    { expectedVersion },
  )

const delivered = (lineItems: OrderLineItem[], now: string): Decided<Order> =>
  isFulfilled(lineItems)
    ? { implied: { status: 'FULFILLED', lineItems, fulfilledAt: now }, events: ['order.fulfilled'] }
    : { implied: { status: 'PARTIALLY_FULFILLED', lineItems }, events: ['order.partially_fulfilled'] }

export const cancelOrder = (
  ctx: RequestContext,
  id: string,
  cancelReason: string | null,
  expectedVersion: Version,
): Promise<Order> =>
  changeStatus(ctx, order, id, 'CANCELLED', expectedVersion, (_previous, cancelledAt) => ({
    implied: { cancelledAt, cancelReason },
    events: ['order.cancelled'],
  }))

export const returnOrder = (
  ctx: RequestContext,
  id: string,
  returnReason: string | null,
  expectedVersion: Version,
): Promise<Order> =>
  changeStatus(ctx, order, id, 'RETURNED', expectedVersion, (_previous, returnedAt) => ({
    implied: { returnedAt, returnReason },
    events: ['order.returned'],
  }))

/** What an order takes from the quote that becomes it. */
const copiedFromQuote = [
  'ownerId',
  'opportunityId',
  'accountId',
  'contactId',
  'currency',
  'discountType',
  'discountValue',
  'shippingTotal',
  'paymentTerms',
  'terms',
] as const satisfies readonly (keyof Quote & keyof Order)[]

/**
 * Creates the order that a quote becomes, in DRAFT, with its lines and the same amounts. A quote becomes one order: a second call,
 * also a concurrent one, is refused with UNIQUE_VIOLATION and the id of the order. The caller changes the quote in the same
 * transaction.
 */
export function orderFromQuote(ctx: RequestContext, quote: Quote): Promise<Order> {
  const lineItems = quote.lineItems.map((line) => ({ ...line, quantityFulfilled: 0, quantityInvoiced: 0 }))
  const copied = Object.fromEntries(copiedFromQuote.map((name) => [name, quote[name]])) as Partial<Order>
  const orderDate = ctx.clock.now().toISOString()
  const implied = { ...copied, lineItems, quoteId: quote.id, orderDate }
  return save(ctx, order, { operation: 'CREATE', previous: null, values: {}, implied })
}
