import { invalid } from '../../kernel/errors.ts'
import { change } from '../../kernel/record/records-of.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Quote } from '../quote/quote.ts'
import { deliveryProblems, fulfilledLines, isFulfilled, type Delivery } from './order.fulfilment.ts'
import { order } from './order.record.ts'
import { hasLines, orderStates, requireTransition } from './order.status.ts'
import type { Order, OrderStatus } from './order.ts'

const reasonMax = 2000

/** Refuses a text that the column of the reason cannot have, by the name of the argument. */
function requireReason(reason: string | null | undefined): void {
  if (reason == null || (isStorable(reason) && Array.from(reason).length <= reasonMax)) return
  const message = `reason must have at most ${reasonMax} characters, without NUL and unpaired surrogates.`
  throw invalid({ path: 'reason', code: isStorable(reason) ? 'TOO_LONG' : 'NOT_TEXT', message })
}

interface Move {
  readonly to: OrderStatus
  readonly implied?: Partial<Order>
  readonly events?: readonly string[]
}

/** Moves an order to another status, in one change with its event. `move` decides again after a concurrent change. */
const moveOrder = (
  ctx: RequestContext,
  id: string,
  expectedVersion: number | null,
  move: (previous: Order, now: string, inner: RequestContext) => Promise<Move>,
): Promise<Order> =>
  change(
    ctx,
    order,
    id,
    async (previous, inner) => {
      const { to, implied = {}, events = [] } = await move(previous, inner.clock.now().toISOString(), inner)
      return { operation: 'UPDATE', values: {}, implied: { status: to, ...implied }, events }
    },
    { expectedVersion },
  )

/** The customer and the organization agree on the order; its lines are frozen. */
export const confirmOrder = (ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Order> =>
  moveOrder(ctx, id, expectedVersion, async (previous, confirmedAt, inner) => {
    await requireTransition(inner, previous, 'CONFIRMED')
    if (!hasLines(previous)) {
      const message = 'An order without lines cannot be confirmed; add lines first.'
      throw await refusalInState(inner, orderStates, previous, message)
    }
    return { to: 'CONFIRMED', implied: { confirmedAt }, events: ['order.confirmed'] }
  })

export const processOrder = (ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Order> =>
  moveOrder(ctx, id, expectedVersion, async (previous, _now, inner) => {
    await requireTransition(inner, previous, 'PROCESSING')
    return { to: 'PROCESSING' }
  })

/** Adds delivered quantities, all open ones if `deliveries` is null. The order is FULFILLED when nothing is open. */
export const fulfillOrder = (
  ctx: RequestContext,
  id: string,
  deliveries: readonly Delivery[] | null | undefined,
  expectedVersion: number | null,
): Promise<Order> =>
  moveOrder(ctx, id, expectedVersion, async (previous, now, inner) => {
    await requireTransition(inner, previous, 'FULFILLED')
    const { lineItems } = previous
    if (deliveries?.length === 0)
      throw invalid({ path: 'lines', code: 'TOO_FEW', message: 'lines must have at least 1 item; null delivers all.' })
    const problems = deliveryProblems(lineItems, deliveries ?? [])
    if (problems.length > 0) throw invalid(...problems)
    const lines = fulfilledLines(lineItems, deliveries ?? null)
    return isFulfilled(lines)
      ? { to: 'FULFILLED', implied: { lineItems: lines, fulfilledAt: now }, events: ['order.fulfilled'] }
      : { to: 'PARTIALLY_FULFILLED', implied: { lineItems: lines }, events: ['order.partially_fulfilled'] }
  })

export const cancelOrder = (
  ctx: RequestContext,
  id: string,
  reason: string | null | undefined,
  expectedVersion: number | null,
): Promise<Order> =>
  moveOrder(ctx, id, expectedVersion, async (previous, cancelledAt, inner) => {
    requireReason(reason)
    await requireTransition(inner, previous, 'CANCELLED')
    return { to: 'CANCELLED', implied: { cancelledAt, cancelReason: reason ?? null }, events: ['order.cancelled'] }
  })

export const returnOrder = (
  ctx: RequestContext,
  id: string,
  reason: string | null | undefined,
  expectedVersion: number | null,
): Promise<Order> =>
  moveOrder(ctx, id, expectedVersion, async (previous, returnedAt, inner) => {
    requireReason(reason)
    await requireTransition(inner, previous, 'RETURNED')
    return { to: 'RETURNED', implied: { returnedAt, returnReason: reason ?? null }, events: ['order.returned'] }
  })

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
