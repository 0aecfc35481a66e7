import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { change } from '../../kernel/record/records-of.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, sumOf, zero } from '../../kernel/values/decimal.ts'
import type { LineItem } from '../line-item/line-item.ts'
import { order } from '../order/order.record.ts'
import type { Order, OrderInvoiceStatus, OrderPaymentStatus } from '../order/order.ts'

/** What counts of an invoice of an order. */
export interface OrderInvoice {
  readonly id: string
  readonly lineItems: readonly LineItem[]
  readonly shippingTotal: ExactNumber
  readonly amountPaid: ExactNumber
  readonly refunded: ExactNumber
  readonly isVoid: boolean
}

/** Locks a live order, so that invoices of it are written one after another. False if there is none. */
export async function lockOrder(ctx: RequestContext, orderId: string): Promise<boolean> {
  const found = await ctx.db.query(
    'select 1 from commerce."order" where organization_id = $1 and id = $2 and deleted_at is null for update',
    [ctx.caller.organizationId, orderId],
  )
  return found.length > 0
}

/** The invoices of an order that are not deleted, of all owners. */
const allInvoicesOf = (ctx: RequestContext, orderId: string): Promise<OrderInvoice[]> =>
  ctx.db.query<OrderInvoice & Record<string, unknown>>(
    `select id, line_items as "lineItems", shipping_total as "shippingTotal", amount_paid as "amountPaid",
       (select coalesce(sum((r ->> 'amount')::numeric), 0) from jsonb_array_elements(refunds) r) as refunded,
       status = 'VOID' as "isVoid"
     from commerce.invoice where organization_id = $1 and order_id = $2 and deleted_at is null
     order by created_at, id`,
    [ctx.caller.organizationId, orderId],
  )

/** The invoices of an order that count: they are neither deleted nor void. */
export const invoicesOf = async (ctx: RequestContext, orderId: string): Promise<OrderInvoice[]> =>
  (await allInvoicesOf(ctx, orderId)).filter(({ isVoid }) => !isVoid)

/** The quantities that are invoiced, by the id of the line of the order, which its lines on invoices have too. */
export function invoicedQuantities(invoices: readonly OrderInvoice[]): ReadonlyMap<string, ExactNumber> {
  const quantities = new Map<string, ExactNumber>()
  for (const { id, quantity } of invoices.flatMap(({ lineItems }) => lineItems))
    quantities.set(id, exactOf(decimalOf(quantities.get(id) ?? 0).plus(decimalOf(quantity))))
  return quantities
}

function invoiceStatusOf(lines: Order['lineItems']): OrderInvoiceStatus {
  if (lines.every(({ quantityInvoiced }) => decimalOf(quantityInvoiced).eq(zero))) return 'NOT_INVOICED'
  const isWhole = lines.every(({ quantity, quantityInvoiced }) => decimalOf(quantityInvoiced).gte(decimalOf(quantity)))
  return isWhole ? 'INVOICED' : 'PARTIALLY_INVOICED'
}

function paymentStatusOf(total: ExactNumber, invoices: readonly OrderInvoice[]): OrderPaymentStatus {
  const paid = sumOf(invoices.map(({ amountPaid }) => decimalOf(amountPaid)))
  if (paid.gt(zero)) return paid.gte(decimalOf(total)) ? 'PAID' : 'PARTIALLY_PAID'
  return invoices.some(({ refunded }) => decimalOf(refunded).gt(zero)) ? 'REFUNDED' : 'UNPAID'
}

/**
 * Sets what an order says about its invoices, computed from all of them under its lock, in the transaction of the change of an invoice.
 * Neither visibility nor field security of the order limits this.
 */
export async function syncOrder(ctx: RequestContext, orderId: string): Promise<void> {
  const inner = unrestricted(ctx)
  if (!(await lockOrder(inner, orderId))) return
  const invoices = await allInvoicesOf(inner, orderId)
  const quantities = invoicedQuantities(invoices.filter(({ isVoid }) => !isVoid))
  await change(inner, order, orderId, ({ lineItems, total }) => {
    const lines = lineItems.map((line) => ({ ...line, quantityInvoiced: quantities.get(line.id) ?? 0 }))
    return {
      operation: 'UPDATE',
      values: {},
      implied: {
        lineItems: lines,
        invoiceStatus: invoiceStatusOf(lines),
        paymentStatus: paymentStatusOf(total, invoices),
      },
    }
  })
}
