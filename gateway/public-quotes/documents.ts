import type { ExactNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import type { ShownSeller } from '../pages/customer-page.ts'
import type { ShownLine } from '../pages/document-lines.ts'

/** A quote as the page shows it. */
export interface ShownQuote {
  readonly seller: ShownSeller
  readonly customerName: string | null
  readonly quoteNumber: string
  readonly name: string
  readonly status: string
  readonly currency: string
  readonly lineItems: readonly ShownLine[]
  readonly subtotal: ExactNumber
  readonly discountTotal: ExactNumber
  readonly taxTotal: ExactNumber
  readonly shippingTotal: ExactNumber
  readonly total: ExactNumber
  readonly validUntil: string | null
  /** The day at whose end `validUntil` is, `YYYY-MM-DD`; null if it is another time. */
  readonly lastDay: string | null
  readonly paymentTerms: string
  readonly terms: string | null
  readonly sentAt: string | null
  readonly acceptedAt: string | null
  readonly acceptedByName: string | null
  readonly rejectedAt: string | null
}

const shown = `{
  seller { name address taxId color logoPath } customerName quoteNumber name status currency
  lineItems {
    name sku description quantity unitPrice discountPercent discountAmount taxRate lineTotal billingFrequency
  }
  subtotal discountTotal taxTotal shippingTotal total validUntil lastDay paymentTerms terms sentAt acceptedAt acceptedByName rejectedAt
}`

export const viewDocument = `mutation publicQuoteView($token: String!) { result: publicQuoteView(token: $token) ${shown} }`

export const acceptDocument = `mutation publicQuoteAccept($token: String!, $name: String!, $consent: Boolean!) {
  result: publicQuoteAccept(token: $token, name: $name, consent: $consent) ${shown}
}`

export const rejectDocument = `mutation publicQuoteReject($token: String!, $reason: String) {
  result: publicQuoteReject(token: $token, reason: $reason) ${shown}
}`

export const documentDocument = `mutation publicQuoteDocument($token: String!) {
  result: publicQuoteDocument(token: $token) { filename content }
}`
