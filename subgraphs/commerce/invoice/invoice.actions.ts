import { recordsOf, type RecordActions } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { syncOrder } from '../order-invoice/sync-order.ts'
import { changeInvoice, type Version } from './change-invoice.ts'
import { todayOf } from './invoice-day.ts'
import { invoice } from './invoice.record.ts'
import { isSettledInPart, invoiceStates, refuseInState, requireTransition } from './invoice.states.ts'
import { isOpen } from './invoice.status.ts'
import { reasonMax, type Invoice } from './invoice.ts'
import { requireText } from './typed-text.ts'

const standard = recordsOf(invoice)

/** The standard operations, where an invoice of an order has more rules: what it invoiced is free again when it is deleted. */
export const invoiceActions: RecordActions<Invoice> = {
  remove: (ctx, id, expectedVersion) =>
    inTransaction(ctx, async (inner) => {
      requireWritableRole(inner)
      const { orderId } = await requireRecord(inner, invoice, id)
      const removed = await standard.remove(inner, id, expectedVersion)
      if (orderId !== null) await syncOrder(inner, orderId)
      return removed
    }),
  restore: (ctx, id, expectedVersion) =>
    inTransaction(ctx, async (inner) => {
      requireWritableRole(inner)
      const deleted = await requireRecord(inner, invoice, id, { deleted: true })
      if (deleted.orderId === null) return standard.restore(inner, id, expectedVersion)
      const message = 'An invoice of an order cannot be restored; invoice the order again.'
      throw await refusalInState(inner, invoiceStates, deleted, message)
    }),
}

/** Voids an issued invoice. Its number stays used, and its order can be invoiced again. */
export function voidInvoice(
  ctx: RequestContext,
  id: string,
  reason: string | null,
  expectedVersion: Version,
): Promise<Invoice> {
  requireText('reason', reason, reasonMax)
  return changeInvoice(ctx, id, expectedVersion, async (previous, inner) => {
    await requireTransition(inner, previous, 'VOID')
    if (isSettledInPart(previous))
      await refuseInState(
        inner,
        previous,
        'An invoice with payments or credits cannot be voided; refund or reverse them first.',
      )
    return {
      implied: { status: 'VOID', voidedAt: inner.clock.now().toISOString(), voidReason: reason },
      events: ['invoice.voided'],
    }
  })
}

export const markUncollectible = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Invoice> =>
  changeInvoice(ctx, id, expectedVersion, async (previous, inner) => {
    await requireTransition(inner, previous, 'UNCOLLECTIBLE')
    return {
      implied: { status: 'UNCOLLECTIBLE', uncollectibleAt: inner.clock.now().toISOString() },
      events: ['invoice.marked_uncollectible'],
    }
  })

/** Remembers that the customer disputes an open invoice. A second call changes the reason. */
export function disputeInvoice(
  ctx: RequestContext,
  id: string,
  reason: string | null,
  expectedVersion: Version,
): Promise<Invoice> {
  requireText('reason', reason, reasonMax)
  return changeInvoice(ctx, id, expectedVersion, async (previous, inner) => {
    const { status, disputedAt } = previous
    if (!isOpen(status)) await refuseInState(inner, previous, `An invoice with status ${status} cannot be disputed.`)
    return { implied: { disputedAt: disputedAt ?? inner.clock.now().toISOString(), disputeReason: reason } }
  })
}

export const resolveDispute = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<Invoice> =>
  changeInvoice(ctx, id, expectedVersion, () => ({ implied: { disputedAt: null, disputeReason: null } }))

/** Makes an invoice OVERDUE if its due day has passed. A payment in part on the same day has made it PARTIALLY_PAID until midnight. */
export const passDueDay = (ctx: RequestContext, id: string): Promise<Invoice> =>
  changeInvoice(ctx, id, null, async ({ status, dueDate }, inner) => {
    const isPast = dueDate !== null && dueDate < (await todayOf(inner))
    if (!isPast || (status !== 'SENT' && status !== 'PARTIALLY_PAID')) return { implied: {} }
    return {
      implied: { status: 'OVERDUE', overdueAt: inner.clock.now().toISOString() },
      events: ['invoice.overdue'],
    }
  })

/** Remembers when the public page was first opened. */
export const viewInvoice = (ctx: RequestContext, id: string): Promise<Invoice> =>
  changeInvoice(ctx, id, null, ({ viewedAt, status }, { clock }) =>
    viewedAt === null && status !== 'DRAFT'
      ? { implied: { viewedAt: clock.now().toISOString() }, events: ['invoice.viewed'] }
      : { implied: {} },
  )
