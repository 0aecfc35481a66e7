import { enumeration } from '../../kernel/record/column.ts'

export const QuoteStatus = enumeration('QuoteStatus', 'Where a quote is in its life cycle.', {
  DRAFT: 'It is being written, and can be changed. The default.',
  IN_REVIEW: 'It waits for approval.',
  APPROVED: 'It may be sent.',
  SENT: 'The customer has it. It is frozen; a change needs a revision.',
  ACCEPTED: 'The customer accepted it.',
  REJECTED: 'The customer rejected it.',
  EXPIRED: '`validUntil` passed before the customer answered.',
  CANCELLED: 'It was withdrawn, or replaced by a revision.',
  CONVERTED: 'It became an order.',
})
export type QuoteStatus = keyof typeof QuoteStatus

export const QuoteApprovalStatus = enumeration('QuoteApprovalStatus', 'State of the approval of a quote.', {
  NOT_REQUIRED: 'It was never submitted for approval. The default.',
  PENDING: 'It was submitted, and nobody has decided.',
  APPROVED: 'It was approved.',
  REJECTED: 'It was not approved, and went back to DRAFT.',
})
export type QuoteApprovalStatus = keyof typeof QuoteApprovalStatus

export const PaymentTerms = enumeration('PaymentTerms', 'When an invoice must be paid.', {
  DUE_ON_RECEIPT: 'At once.',
  NET_15: 'Within 15 days.',
  NET_30: 'Within 30 days. The default.',
  NET_45: 'Within 45 days.',
  NET_60: 'Within 60 days.',
  NET_90: 'Within 90 days.',
})
export type PaymentTerms = keyof typeof PaymentTerms
