import type { ExactNumber } from '../../kernel/json/exact-number.ts'

/** A party of a quote; absent or null parts are not printed. */
export interface DocumentParty {
  readonly name: string
  readonly contactName?: string | null
  /** Lines of the postal address. */
  readonly address?: readonly (string | null | undefined)[]
  readonly email?: string | null
  readonly phone?: string | null
}

export interface DocumentLine {
  readonly name: string
  readonly sku?: string | null
  readonly description?: string | null
  readonly quantity: ExactNumber
  readonly unitPrice: ExactNumber
  /** Percent off the price, 0 to 100. */
  readonly discountPercent?: ExactNumber | null
  /** Amount off the line, after the percentage. */
  readonly discountAmount?: ExactNumber | null
  /** Percent of tax. */
  readonly taxRate?: ExactNumber | null
  /** The price of the line after discounts, without tax. */
  readonly lineTotal: ExactNumber
}

/** What the PDF of a quote shows. All amounts are calculated before; the document only formats them. */
export interface QuoteDocument {
  /** `Q-000123`. */
  readonly number: string
  readonly revision?: number | null
  readonly name?: string | null
  /** The day of the quote, as an ISO 8601 time. */
  readonly date: string
  readonly validUntil?: string | null
  /** ISO 4217 code of all amounts. */
  readonly currency: string
  readonly customer: DocumentParty
  readonly lines: readonly DocumentLine[]
  readonly subtotal: ExactNumber
  readonly discountTotal?: ExactNumber | null
  readonly taxTotal?: ExactNumber | null
  readonly shippingTotal?: ExactNumber | null
  readonly total: ExactNumber
  /** In words: `30 days net`. */
  readonly paymentTerms?: string | null
  readonly terms?: string | null
  readonly notes?: string | null
  /** Who accepted the quote electronically; absent before. */
  readonly acceptance?: { readonly name: string; readonly acceptedAt: string } | null
}

/** The organization that makes the quote. */
export interface DocumentOrganization extends DocumentParty {
  /** IANA time zone of the dates; UTC unless given. */
  readonly timezone?: string | null
}
