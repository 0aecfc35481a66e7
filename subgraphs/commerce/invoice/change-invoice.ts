import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { syncOrder } from '../order-invoice/sync-order.ts'
import { invoice } from './invoice.record.ts'
import type { Invoice } from './invoice.ts'

export type Version = number | null

/** What a verb changes. */
export interface Move {
  readonly implied: Partial<Invoice>
  readonly events?: readonly string[]
}

/**
 * Changes an invoice under the lock of its row, so that concurrent payments are decided one after another. What the order of the
 * invoice says about it changes in the same transaction.
 */
export const changeInvoice = <C extends RequestContext>(
  ctx: C,
  id: string,
  expectedVersion: Version,
  decide: (previous: Invoice, inner: C) => Move | Promise<Move>,
): Promise<Invoice> =>
  inTransaction(ctx, async (inner) => {
    requireWritableRole(inner)
    const previous = await requireRecord(inner, invoice, id, { isLocked: true })
    const { implied, events } = await decide(previous, inner)
    const draft = { operation: 'UPDATE', previous, values: {}, implied, expectedVersion, events: events ?? [] } as const
    const saved = await save(inner, invoice, draft)
    if (previous.orderId !== null) await syncOrder(inner, previous.orderId)
    return saved
  })
