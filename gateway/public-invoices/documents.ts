import type { ExactNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import type { ShownSeller } from '../pages/customer-page.ts'
import type { ShownLine } from '../pages/document-lines.ts'

/** An invoice as the page shows it. */
export interface ShownInvoice {
  readonly seller: ShownSeller
  readonly customerName: string | null
  readonly invoiceNumber: string
  readonly status: string
  readonly currency: string
  readonly lineItems: readonly ShownLine[]
  readonly subtotal: ExactNumber
  readonly discountTotal: ExactNumber
  readonly taxTotal: ExactNumber
  readonly shippingTotal: ExactNumber
  readonly total: ExactNumber
  readonly amountPaid: ExactNumber
  readonly amountCredited: ExactNumber
  readonly amountDue: ExactNumber
  readonly dunningFees: ExactNumber
  readonly dunningInterest: ExactNumber
  /** What is due, with the fees and the interest of reminders. */
  readonly amountToPay: ExactNumber
  readonly issueDate: string
  readonly dueDate: string
  readonly purchaseOrderNumber: string | null
  readonly terms: string | null
  readonly paymentInstructions: string | null
  readonly isPayableOnline: boolean
  /** What an online payment charges; null if that is not possible. */
  readonly onlineAmount: ExactNumber | null
}

const shown = `{
  seller { name address taxId color logoPath } customerName invoiceNumber status currency
  lineItems {
    name sku description quantity unitPrice discountPercent discountAmount taxRate lineTotal billingFrequency
  }
  subtotal discountTotal taxTotal shippingTotal total amountPaid amountCredited amountDue dunningFees dunningInterest amountToPay issueDate
  dueDate purchaseOrderNumber terms paymentInstructions isPayableOnline onlineAmount
}`

export const viewDocument = `mutation publicInvoiceView($token: String!) { result: publicInvoiceView(token: $token) ${shown} }`

export const payDocument = `mutation publicInvoicePay($token: String!) {
  result: publicInvoicePay(token: $token) { url invoiceNumber }
}`

export const settleDocument = `mutation publicInvoiceSettle($token: String!, $session: String!) {
  result: publicInvoiceSettle(token: $token, session: $session) ${shown}
}`

export const documentDocument = `mutation publicInvoiceDocument($token: String!) {
  result: publicInvoiceDocument(token: $token) { filename content }
}`

export const eventDocument = `mutation publicPaymentSettle($token: String!, $session: String!) {
  result: publicPaymentSettle(token: $token, session: $session)
}`
