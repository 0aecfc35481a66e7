import { refusalInState, requireNewStatus, type Move, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import { amountsWhenPaid } from './invoice.amounts.ts'
import { todayOf } from './invoice-day.ts'
import { statusAfterRefund } from './invoice.status.ts'
import type { Invoice, InvoiceStatus } from './invoice.ts'

const unitOf = ({ currency }: Invoice) => decimalOf(1).div(decimalOf(10).pow(currencyDecimals(currency)))

/** Whether something is paid or credited. */
export const isSettledInPart = ({
  amountPaid,
  amountCredited,
}: Pick<Invoice, 'amountPaid' | 'amountCredited'>): boolean =>
  decimalOf(amountPaid).plus(decimalOf(amountCredited)).gt(zero)

const isZero = ({ total }: Invoice): boolean => decimalOf(total).lte(zero)

/** The statuses that a refund can lead to: of the least amount of a payment, of all but the least, and of everything. */
async function statusesAfterRefund(ctx: RequestContext, previous: Invoice): Promise<ReadonlySet<InvoiceStatus>> {
  const today = await todayOf(ctx)
  const [unit, paid] = [unitOf(previous), decimalOf(previous.amountPaid)]
  const statuses = new Set<InvoiceStatus>()
  for (const { status, amount, refundedAmount } of previous.payments) {
    const left = decimalOf(amount).minus(decimalOf(refundedAmount))
    if (status !== 'SUCCEEDED') continue
    for (const returned of [unit, left.minus(unit), left]) {
      if (returned.lte(zero) || returned.gt(left)) continue
      const rest = paid.minus(returned)
      statuses.add(statusAfterRefund({ ...previous, ...amountsWhenPaid(previous, rest) }, today))
    }
  }
  return statuses
}

const refundTo = (status: InvoiceStatus): Move<Invoice> => ({
  operation: 'invoiceRefundPayment',
  isPossible: async (ctx, previous) => (await statusesAfterRefund(ctx, previous)).has(status),
})

const send = (isPaid: boolean): Move<Invoice> => ({
  operation: 'invoiceSend',
  isPossible: (_ctx, previous) => isZero(previous) === isPaid,
})

const payPart: Move<Invoice> = {
  operation: 'invoiceRecordPayment',
  isPossible: (_ctx, previous) => decimalOf(previous.amountDue).gt(unitOf(previous)),
}
const pay = 'invoiceRecordPayment'
const giveUp = 'invoiceMarkUncollectible'
const cancel: Move<Invoice> = {
  operation: 'invoiceVoid',
  isPossible: (_ctx, previous) => !isSettledInPart(previous),
}

/** A later due day ends OVERDUE. */
const postpone = (isPartlyPaid: boolean): Move<Invoice> => ({
  operation: 'invoiceUpdate',
  isPossible: (_ctx, previous) => isSettledInPart(previous) === isPartlyPaid,
})

/** An invoice over nothing is PAID when it is issued, and a job makes it OVERDUE. */
export const invoiceStates: StateMachine<Invoice, InvoiceStatus> = {
  name: 'invoice',
  scope: 'WRITE_INVOICES',
  transitions: {
    DRAFT: { SENT: [send(false)], PAID: [send(true)] },
    SENT: { PARTIALLY_PAID: [payPart], PAID: [pay], OVERDUE: [], VOID: [cancel], UNCOLLECTIBLE: [giveUp] },
    PARTIALLY_PAID: {
      SENT: [refundTo('SENT')],
      PAID: [pay],
      OVERDUE: [refundTo('OVERDUE')],
      UNCOLLECTIBLE: [giveUp],
    },
    OVERDUE: {
      SENT: [postpone(false)],
      PARTIALLY_PAID: [payPart, postpone(true)],
      PAID: [pay],
      VOID: [cancel],
      UNCOLLECTIBLE: [giveUp],
    },
    UNCOLLECTIBLE: { PAID: [pay], VOID: [cancel] },
    PAID: {
      SENT: [refundTo('SENT')],
      PARTIALLY_PAID: [refundTo('PARTIALLY_PAID')],
      OVERDUE: [refundTo('OVERDUE')],
      UNCOLLECTIBLE: [refundTo('UNCOLLECTIBLE')],
    },
    VOID: {},
  },
}

const operationOf = { VOID: 'invoiceVoid', UNCOLLECTIBLE: giveUp } as const

/** Throws INVALID_STATE unless the operation of this status may set it. */
export const requireTransition = (
  ctx: RequestContext,
  previous: Invoice,
  to: keyof typeof operationOf,
): Promise<void> => requireNewStatus(ctx, invoiceStates, previous, to, operationOf[to])

/** Throws INVALID_STATE with the statuses that the caller can set. */
export async function refuseInState(ctx: RequestContext, previous: Invoice, message: string): Promise<never> {
  throw await refusalInState(ctx, invoiceStates, previous, message)
}

/** What a client may change after DRAFT. */
const changeable: ReadonlySet<string> = new Set(['dueDate', 'notes', 'metadata', 'tags', 'dunningBlocked'])

/** What follows from the order of an invoice. */
const ofOrder = ['lineItems', 'currency', 'discountType', 'discountValue', 'shippingTotal', 'quoteId'] as const

/** Throws INVALID_STATE if a client's change touches what is frozen. */
export async function requireEditable(
  ctx: RequestContext,
  previous: Invoice,
  changed: readonly (keyof Invoice)[],
): Promise<void> {
  const { status, orderId } = previous
  if (status !== 'DRAFT') {
    const frozen = changed.filter((name) => !changeable.has(name))
    if (frozen.length === 0) return
    const rule = `only ${[...changeable].join(', ')} can change`
    await refuseInState(ctx, previous, `An invoice with status ${status} cannot change ${frozen.join(', ')}; ${rule}.`)
  }
  if (orderId === null) return
  const frozen = changed.filter((name) => (ofOrder as readonly string[]).includes(name))
  if (frozen.length === 0) return
  const way = 'delete it and invoice the order again'
  const message = `An invoice of an order cannot change ${frozen.join(', ')}, which follow from it; ${way}.`
  await refuseInState(ctx, previous, message)
}

/** Throws INVALID_STATE unless the invoice may be deleted. */
export async function requireDeletable(ctx: RequestContext, previous: Invoice): Promise<void> {
  const { status } = previous
  if (status === 'DRAFT') return
  const message = `An invoice with status ${status} cannot be deleted; only a DRAFT can. Void it instead.`
  await refuseInState(ctx, previous, message)
}
