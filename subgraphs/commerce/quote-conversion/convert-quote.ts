import { requireRecord } from '../../kernel/record/read.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState, requireNewStatus } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { orderFromQuote } from '../order/order.actions.ts'
import type { Order } from '../order/order.ts'
import { quote } from '../quote/quote.record.ts'
import { quoteStates } from '../quote/quote.status.ts'
import type { Quote } from '../quote/quote.ts'

/** Creates the order of an accepted quote, once: the quote is locked, and becomes CONVERTED in the same transaction. */
export function convertQuote(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Order> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const accepted = await requireRecord(inner, quote, id, { isLocked: true })
    await requireConvertible(inner, accepted)
    const order = await orderFromQuote(inner, accepted)
    const implied = { status: 'CONVERTED', orderId: order.id } as const
    const converted = { operation: 'UPDATE', values: {}, implied, events: ['quote.converted'] } as const
    await change(inner, quote, id, () => converted, { expectedVersion })
    return order
  })
}

async function requireConvertible(ctx: RequestContext, accepted: Quote): Promise<void> {
  const { status, orderId } = accepted
  if (status !== 'CONVERTED') return requireNewStatus(ctx, quoteStates, accepted, 'CONVERTED')
  throw await refusalInState(ctx, quoteStates, accepted, 'The quote became an order already.', { orderId })
}
