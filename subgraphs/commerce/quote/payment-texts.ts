import type { PaymentTerms } from './quote.enumerations.ts'

/** The terms of payment as documents print them. */
export const paymentTexts: Readonly<Record<PaymentTerms, string>> = {
  DUE_ON_RECEIPT: 'Due on receipt',
  NET_15: '15 days net',
  NET_30: '30 days net',
  NET_45: '45 days net',
  NET_60: '60 days net',
  NET_90: '90 days net',
}
