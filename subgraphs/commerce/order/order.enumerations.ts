import { enumeration } from '../../kernel/record/column.ts'

export const OrderStatus = enumeration('OrderStatus', 'Where an order is in its life cycle.', {
  DRAFT: 'It is being written, and its lines can be changed. The default.',
  CONFIRMED: 'The customer and the organization agreed on it; its lines are frozen.',
  PROCESSING: 'It is being prepared.',
  PARTIALLY_FULFILLED: 'Some of its quantities were delivered.',
  FULFILLED: 'All of its quantities were delivered.',
  CANCELLED: 'It was cancelled before anything was delivered.',
  RETURNED: 'The customer returned it after it was fulfilled.',
})
export type OrderStatus = keyof typeof OrderStatus

export const OrderPaymentStatus = enumeration('OrderPaymentStatus', 'How much of an order is paid.', {
  UNPAID: 'Nothing is paid. The default.',
  PARTIALLY_PAID: 'A part is paid.',
  PAID: 'All is paid.',
  REFUNDED: 'The payments were returned.',
})
export type OrderPaymentStatus = keyof typeof OrderPaymentStatus

export const OrderInvoiceStatus = enumeration('OrderInvoiceStatus', 'How much of an order is invoiced.', {
  NOT_INVOICED: 'Nothing is invoiced. The default.',
  PARTIALLY_INVOICED: 'A part is invoiced.',
  INVOICED: 'All is invoiced.',
})
export type OrderInvoiceStatus = keyof typeof OrderInvoiceStatus
