import { Refusal } from '../../kernel/errors.ts'
import { requireNewStatus, type Transitions } from '../../kernel/record/transitions.ts'
import type { Order, OrderStatus } from './order.ts'

/** The statuses that may follow each status. An order can be cancelled until something was delivered. */
export const orderTransitions: Transitions<OrderStatus> = {
  DRAFT: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['PARTIALLY_FULFILLED', 'FULFILLED', 'CANCELLED'],
  PARTIALLY_FULFILLED: ['PARTIALLY_FULFILLED', 'FULFILLED'],
  FULFILLED: ['RETURNED'],
  CANCELLED: [],
  RETURNED: [],
}

export const requireTransition = (from: OrderStatus, to: OrderStatus): void =>
  requireNewStatus('order', orderTransitions, from, to)

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
export function requireEditable({ status }: Order, names: readonly (keyof Order)[]): void {
  if (status === 'DRAFT') return
  const changed = frozenFields.filter((name) => names.includes(name))
  if (changed.length === 0) return
  const message = `An order with status ${status} cannot change ${changed.join(', ')}; only a DRAFT can.`
  throw new Refusal('INVALID_STATE', message, { allowed: [...orderTransitions[status]] })
}

const deletable: readonly OrderStatus[] = ['DRAFT', 'CANCELLED']

/** Throws INVALID_STATE if the order is to be kept: what was agreed on must be cancelled first. */
export function requireDeletable({ status }: Order): void {
  if (deletable.includes(status)) return
  const message = `An order with status ${status} cannot be deleted; only orders with status ${deletable.join(' or ')} can.`
  throw new Refusal('INVALID_STATE', message, { allowed: [...orderTransitions[status]] })
}
