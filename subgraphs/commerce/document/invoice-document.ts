import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { DocumentLine, DocumentParty } from './quote-document.ts'

/** What the PDF of an invoice shows. All amounts are calculated before; the document only formats them. */
export interface InvoiceDocument {
  /** `INV-2026-000123`. */
  readonly number: string
  /** Days as midnight UTC. */
  readonly issueDate: string
  readonly dueDate: string | null
  /** ISO 4217 code of all amounts. */
  readonly currency: string
  readonly customer: DocumentParty
  readonly lines: readonly DocumentLine[]
  readonly subtotal: ExactNumber
  readonly discountTotal: ExactNumber
  readonly taxTotal: ExactNumber
  readonly shippingTotal: ExactNumber
  readonly total: ExactNumber
  readonly amountPaid: ExactNumber
  readonly amountDue: ExactNumber
  readonly purchaseOrderNumber: string | null
  /** In words: `30 days net`. */
  readonly paymentTerms: string
  /** How to pay, such as bank details; null if the organization has set nothing. */
  readonly paymentInstructions: string | null
  /** Address of the public page. */
  readonly publicUrl: string | null
  readonly isVoid: boolean
  readonly terms: string | null
}
