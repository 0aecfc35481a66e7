import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, zero } from '../../kernel/values/decimal.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { linesMax } from '../line-item/line-item.ts'
import { order } from '../order/order.record.ts'
import { orderStates } from '../order/order.status.ts'
import type { Order, OrderStatus } from '../order/order.ts'
import { partialAmounts } from './partial-amounts.ts'
import { invoicedQuantities, invoicesOf, syncOrder } from './sync-order.ts'

/** A quantity of one line of an order that is invoiced. */
export interface InvoicedLine {
  readonly lineItemId: string
  readonly quantity: ExactNumber
}

/** The statuses of an order that can be invoiced: it is agreed on, and neither cancelled nor returned. */
const invoiceable: readonly OrderStatus[] = ['CONFIRMED', 'PROCESSING', 'PARTIALLY_FULFILLED', 'FULFILLED']

async function requireInvoiceable(ctx: RequestContext, source: Order): Promise<void> {
  const { status } = source
  if (invoiceable.includes(status)) return
  const message = `An order with status ${status} cannot be invoiced; only ${invoiceable.join(', ')} can.`
  throw await refusalInState(ctx, orderStates, source, message)
}

type Quantities = ReadonlyMap<string, ExactNumber>

const openOf = ({ id, quantity }: Order['lineItems'][number], invoiced: Quantities) =>
  decimalOf(quantity).minus(decimalOf(invoiced.get(id) ?? 0))

/** The quantities to invoice; without `lines` everything that is open. */
function quantitiesOf({ lineItems }: Order, lines: readonly InvoicedLine[] | null, invoiced: Quantities): Quantities {
  if (!lines) {
    const open = lineItems.map((line) => [line.id, exactOf(openOf(line, invoiced))] as const)
    return new Map(open.filter(([, quantity]) => decimalOf(quantity).gt(zero)))
  }
  if (lines.length < 1 || lines.length > linesMax) {
    const message = `lineItems must have 1 to ${linesMax} items; null invoices everything that is open.`
    throw invalid({ path: 'lineItems', code: lines.length < 1 ? 'TOO_FEW' : 'TOO_MANY', message })
  }
  const byId = new Map(lineItems.map((line) => [line.id, line]))
  const wanted = new Map<string, ExactNumber>()
  const problems = lines.flatMap(({ lineItemId, quantity }, index): FieldProblem[] => {
    const path = `lineItems.${index}`
    const id = lineItemId.toLowerCase()
    const line = byId.get(id)
    if (!line) {
      const message = `${path}.lineItemId must be the id of a line of the order.`
      return [{ path: `${path}.lineItemId`, code: 'UNKNOWN_REFERENCE', message }]
    }
    if (wanted.has(id)) {
      const message = `${path}.lineItemId must be unique; add the quantities of the line.`
      return [{ path: `${path}.lineItemId`, code: 'NOT_UNIQUE', message }]
    }
    wanted.set(id, quantity)
    const open = openOf(line, invoiced)
    if (decimalOf(quantity).gt(zero) && decimalOf(quantity).lte(open)) return []
    const message = `${path}.quantity must be above 0 and at most ${open.toFixed()}, the quantity that is not invoiced.`
    return [{ path: `${path}.quantity`, code: 'OUT_OF_RANGE', message }]
  })
  if (problems.length > 0) throw invalid(...problems)
  return wanted
}

/** Refuses to invoice an order of which everything is invoiced, with the id of its last invoice. */
async function refuseInvoiced(ctx: RequestContext, source: Order, existingId: string | undefined): Promise<never> {
  const details = existingId === undefined ? {} : { existingId }
  throw await refusalInState(ctx, orderStates, source, 'Everything of the order is invoiced.', details)
}

const copiedFromOrder = [
  'ownerId',
  'contactId',
  'quoteId',
  'currency',
  'paymentTerms',
  'terms',
  'purchaseOrderNumber',
] as const satisfies readonly (keyof Order & keyof Invoice)[]

/**
 * Creates a DRAFT over quantities of an order, everything that is open by default. The order is locked, so no quantity is invoiced
 * twice, and says in the same transaction what is invoiced of it.
 */
export function invoiceFromOrder(
  ctx: RequestContext,
  orderId: string,
  lines: readonly InvoicedLine[] | null,
): Promise<Invoice> {
  return inTransaction(ctx, async (inner) => {
    requireWritableRole(inner)
    const source = await requireRecord(inner, order, orderId, { isLocked: true })
    await requireInvoiceable(inner, source)
    const earlier = await invoicesOf(inner, source.id)
    const invoiced = invoicedQuantities(earlier)
    const isWhole = source.lineItems.every((line) => openOf(line, invoiced).lte(zero))
    if (isWhole && (earlier.length > 0 || source.lineItems.length === 0))
      await refuseInvoiced(inner, source, earlier.at(-1)?.id)
    const amounts = partialAmounts(source, earlier, quantitiesOf(source, lines, invoiced))
    const isDiscounted = decimalOf(amounts.discountTotal).gt(zero)
    const implied = {
      ...(Object.fromEntries(copiedFromOrder.map((name) => [name, source[name]])) as Partial<Invoice>),
      ...amounts,
      customerId: source.accountId,
      orderId: source.id,
      discountType: isDiscounted ? ('AMOUNT' as const) : null,
      discountValue: isDiscounted ? amounts.discountTotal : null,
    }
    const created = await save(inner, invoice, { operation: 'CREATE', previous: null, values: {}, implied })
    await syncOrder(inner, source.id)
    return created
  })
}
