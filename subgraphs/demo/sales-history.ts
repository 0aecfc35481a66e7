import type { Order } from '../commerce/order/order.ts'
import type { Quote } from '../commerce/quote/quote.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { hourMs } from './calendar.ts'
import { withHistory, type Step } from './history.ts'
import type { GeneratorInput } from './organization.ts'
import type { DemoQuote } from './quotes.ts'
import { Random } from './random.ts'

const msOf = (time: string | null | undefined): number | null => (time ? Date.parse(time) : null)

/** The step to a time that the record has; none without it. */
const at = <T>(time: string | null | undefined, step: Omit<Step<T>, 'atMs'>): Step<T>[] => {
  const atMs = msOf(time)
  return atMs === null ? [] : [{ atMs, ...step }]
}

/** The quotes with the events of their approval, of what was sent and seen, and of the answer. */
export function withQuoteHistory(input: GeneratorInput, quotes: readonly DemoQuote[]): DemoQuote[] {
  const random = new Random(`history of quotes ${input.profile.code}`)
  return quotes.map((quote) => ({ ...quote, given: historyOfQuote(random, quote.given) }))
}

function historyOfQuote(random: Random, given: GeneratedRecord<Quote>): GeneratedRecord<Quote> {
  const { values } = given
  const { status, reviewedAt, reviewedById, sentAt, viewedAt, acceptedAt, rejectedAt, expiredAt, updatedAt } = values
  const actorId = values.ownerId!
  const { decision } = values
  const submittedMs =
    status === 'IN_REVIEW'
      ? msOf(updatedAt)
      : reviewedAt
        ? Math.max(Date.parse(values.createdAt) + 1000, Date.parse(reviewedAt) - 2 * hourMs)
        : null
  const steps: Step<Quote>[] = [
    ...(submittedMs === null
      ? []
      : [{ atMs: submittedMs, actorId, values: { status: 'IN_REVIEW', approvalStatus: 'PENDING' } as const }]),
    ...at<Quote>(reviewedAt, {
      actorId: reviewedById!,
      values: { status: 'APPROVED', approvalStatus: 'APPROVED', reviewedAt: reviewedAt!, reviewedById: reviewedById! },
    }),
    ...at<Quote>(sentAt, { actorId, values: { status: 'SENT', sentAt: sentAt! }, events: ['quote.sent'] }),
    ...at<Quote>(viewedAt, { actorId: null, values: { viewedAt: viewedAt! }, events: ['quote.viewed'] }),
    ...at<Quote>(acceptedAt, {
      actorId: decision?.recordedById ?? null,
      values: {
        status: 'ACCEPTED',
        acceptedAt: acceptedAt!,
        acceptedByName: values.acceptedByName!,
        decision: decision!,
      },
      events: ['quote.accepted'],
    }),
    ...at<Quote>(rejectedAt, {
      actorId: null,
      values: {
        status: 'REJECTED',
        rejectedAt: rejectedAt!,
        rejectionReason: values.rejectionReason!,
        decision: decision!,
      },
      events: ['quote.rejected'],
    }),
    ...at<Quote>(expiredAt, {
      actorId: null,
      values: { status: 'EXPIRED', expiredAt: expiredAt! },
      events: ['quote.expired'],
    }),
    ...(status === 'CANCELLED' ? at<Quote>(updatedAt, { actorId, values: { status, isPrimary: false } }) : []),
    ...(status === 'CONVERTED'
      ? at<Quote>(updatedAt, { actorId, values: { status, orderId: values.orderId! }, events: ['quote.converted'] })
      : []),
  ]
  const created: Partial<Quote> = {
    status: 'DRAFT',
    approvalStatus: 'NOT_REQUIRED',
    reviewedAt: null,
    reviewedById: null,
    sentAt: null,
    viewedAt: null,
    acceptedAt: null,
    acceptedByName: null,
    rejectedAt: null,
    rejectionReason: null,
    decision: null,
    expiredAt: null,
    orderId: null,
    ...(status === 'CANCELLED' && { isPrimary: true }),
  }
  return withHistory(random, given, created, steps)
}

/** The orders with the events of their confirmation, of their deliveries and of their end. */
export function withOrderHistory(
  input: GeneratorInput,
  orders: readonly GeneratedRecord<Order>[],
): GeneratedRecord<Order>[] {
  const random = new Random(`history of orders ${input.profile.code}`)
  return orders.map((order) => historyOfOrder(random, order))
}

function historyOfOrder(random: Random, given: GeneratedRecord<Order>): GeneratedRecord<Order> {
  const { values } = given
  const { status, confirmedAt, fulfilledAt, cancelledAt, returnedAt, lineItems, updatedAt } = values
  const actorId = values.ownerId!
  const confirmedMs = msOf(confirmedAt)
  if (confirmedMs === null) return given
  const isCancelled = status === 'CANCELLED'
  const isDelivered = fulfilledAt != null || status === 'PARTIALLY_FULFILLED'
  const deliveredMs = msOf(fulfilledAt) ?? msOf(updatedAt)!
  const processedMs = isDelivered ? Math.round((confirmedMs + deliveredMs) / 2) : msOf(updatedAt)!
  const { paymentStatus, invoiceStatus } = values
  // A returned order was paid, and is paid back.
  const paid = status === 'RETURNED' ? ('PAID' as const) : paymentStatus!
  const steps: Step<Order>[] = [
    {
      atMs: confirmedMs,
      actorId,
      values: { status: 'CONFIRMED', confirmedAt: confirmedAt! },
      events: ['order.confirmed'],
    },
    ...(status === 'CONFIRMED' || isCancelled
      ? []
      : [{ atMs: processedMs, actorId, values: { status: 'PROCESSING' } as const }]),
    ...at<Order>(cancelledAt, {
      actorId,
      values: { status: 'CANCELLED', cancelledAt: cancelledAt!, cancelReason: values.cancelReason! },
      events: ['order.cancelled'],
    }),
    ...(status === 'PARTIALLY_FULFILLED'
      ? [
          {
            atMs: deliveredMs,
            actorId,
            values: { status, lineItems: lineItems! },
            events: ['order.partially_fulfilled'],
          },
        ]
      : []),
    ...at<Order>(fulfilledAt, {
      actorId,
      values: {
        status: 'FULFILLED',
        fulfilledAt: fulfilledAt!,
        lineItems: lineItems!,
        ...(invoiceStatus && { invoiceStatus }),
        ...(paid && { paymentStatus: paid }),
      },
      events: ['order.fulfilled'],
    }),
    ...at<Order>(returnedAt, {
      actorId,
      values: {
        status: 'RETURNED',
        returnedAt: returnedAt!,
        returnReason: values.returnReason!,
        ...(paymentStatus && { paymentStatus }),
      },
      events: ['order.returned'],
    }),
  ]
  const created: Partial<Order> = {
    status: 'DRAFT',
    confirmedAt: null,
    fulfilledAt: null,
    cancelledAt: null,
    cancelReason: null,
    returnedAt: null,
    returnReason: null,
    lineItems: lineItems!.map((line) => ({ ...line, quantityFulfilled: 0, quantityInvoiced: 0 })),
    ...(isDelivered && { invoiceStatus: 'NOT_INVOICED', paymentStatus: 'UNPAID' }),
  }
  return withHistory(random, given, created, steps)
}
