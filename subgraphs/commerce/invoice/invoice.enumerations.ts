import { enumeration } from '../../kernel/record/column.ts'

export const InvoiceStatus = enumeration('InvoiceStatus', 'Where an invoice is in its life cycle.', {
  DRAFT: 'It is being written: it has no number, and it can be changed and deleted. The default.',
  SENT: 'It was issued, and nothing is paid or credited.',
  PARTIALLY_PAID: 'A part is paid or credited.',
  OVERDUE: 'Its due day has passed in the time zone of the organization, and an amount is open.',
  PAID: 'Nothing is open.',
  VOID: 'It was issued by mistake and is not valid.',
  UNCOLLECTIBLE: 'The organization does not expect that it will be paid.',
})
export type InvoiceStatus = keyof typeof InvoiceStatus

export const PaymentMethod = enumeration('PaymentMethod', 'How a payment was made.', {
  BANK_TRANSFER: 'By bank transfer. The default.',
  CARD: 'By credit or debit card.',
  CHECK: 'By check.',
  CASH: 'In cash.',
  DIRECT_DEBIT: 'By direct debit.',
  OTHER: 'In another way.',
})
export type PaymentMethod = keyof typeof PaymentMethod

export const PaymentStatus = enumeration('PaymentStatus', 'Whether a payment counts.', {
  SUCCEEDED: 'The amount was received.',
  PENDING: 'The provider has not confirmed it; it does not count yet.',
  FAILED: 'It was not received; it does not count.',
  REFUNDED: 'The whole amount was returned.',
})
export type PaymentStatus = keyof typeof PaymentStatus
