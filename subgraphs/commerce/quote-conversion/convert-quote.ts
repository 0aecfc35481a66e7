import { Refusal } from '../../kernel/errors.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { requireNewStatus } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { orderFromQuote } from '../order/order.actions.ts'
import type { Order } from '../order/order.ts'
import { quote } from '../quote/quote.record.ts'
import { quoteTransitions } from '../quote/quote.status.ts'
import type { Quote } from '../quote/quote.ts'

/** Creates the order of an accepted quote, once: the quote is locked, and becomes CONVERTED in the same transaction. */
export function convertQuote(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Order> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const accepted = await requireRecord(inner, quote, id, { isLocked: true })
    requireConvertible(accepted)
    const order = await orderFromQuote(inner, accepted)
    const implied = { status: 'CONVERTED', orderId: order.id } as const
    const converted = { operation: 'UPDATE', values: {}, implied, events: ['quote.converted'] } as const
    await change(inner, quote, id, () => converted, { expectedVersion })
    return order
  })
}

function requireConvertible({ status, orderId }: Quote): void {
  if (status !== 'CONVERTED') return requireNewStatus('quote', quoteTransitions, status, 'CONVERTED')
  throw new Refusal('INVALID_STATE', 'The quote became an order already.', { allowed: [], orderId })
}
