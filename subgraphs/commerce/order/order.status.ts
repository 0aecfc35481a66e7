import { refusalInState, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Order, OrderStatus } from './order.ts'

export const hasLines = ({ lineItems }: Pick<Order, 'lineItems'>): boolean => lineItems.length > 0

/** An order can be cancelled until something was delivered. */
export const orderStates: StateMachine<Order, OrderStatus> = {
  name: 'order',
  scope: 'WRITE_ORDERS',
  transitions: {
    DRAFT: {
      CONFIRMED: [{ operation: 'orderConfirm', isPossible: (_ctx, order) => hasLines(order) }],
      CANCELLED: ['orderCancel'],
    },
    CONFIRMED: { PROCESSING: ['orderProcess'], CANCELLED: ['orderCancel'] },
    PROCESSING: { PARTIALLY_FULFILLED: ['orderFulfill'], FULFILLED: ['orderFulfill'], CANCELLED: ['orderCancel'] },
    PARTIALLY_FULFILLED: { PARTIALLY_FULFILLED: ['orderFulfill'], FULFILLED: ['orderFulfill'] },
    FULFILLED: { RETURNED: ['orderReturn'] },
    CANCELLED: {},
    RETURNED: {},
  },
}

/** What the customer ordered. It changes only in DRAFT. */
const frozenFields = [
  'accountId',
  'lineItems',
  'currency',
  'discountType',
  'discountValue',
  'shippingTotal',
  'paymentTerms',
  'terms',
] as const satisfies readonly (keyof Order)[]

/** Throws INVALID_STATE if a caller's change touches what is frozen in this status. */
export async function requireEditable(
  ctx: RequestContext,
  previous: Order,
  names: readonly (keyof Order)[],
): Promise<void> {
  const { status } = previous
  if (status === 'DRAFT') return
  const changed = frozenFields.filter((name) => names.includes(name))
  if (changed.length === 0) return
  const message = `An order with status ${status} cannot change ${changed.join(', ')}; only a DRAFT can.`
  throw await refusalInState(ctx, orderStates, previous, message)
}

const deletable: readonly OrderStatus[] = ['DRAFT', 'CANCELLED']

/** Throws INVALID_STATE if the order is to be kept: what was agreed on must be cancelled first. */
export async function requireDeletable(ctx: RequestContext, previous: Order): Promise<void> {
  const { status } = previous
  if (deletable.includes(status)) return
  const message = `An order with status ${status} cannot be deleted; only orders with status ${deletable.join(' or ')} can.`
  throw await refusalInState(ctx, orderStates, previous, message)
}
