import type { ExactNumber } from '../../kernel/json/exact-number.ts'

/** A party of a document; absent or null parts are not printed. */
export interface DocumentParty {
  readonly name: string
  readonly contactName?: string | null
  /** Lines of the postal address. */
  readonly address?: readonly (string | null | undefined)[]
  readonly email?: string | null
  readonly phone?: string | null
  readonly taxId?: string | null
}

/** The organization that makes a document. */
export interface DocumentSeller extends DocumentParty {
  /** Colour of the bar at the top of the first page, such as `#1f4e79`. */
  readonly color?: string | null
  readonly logo?: DocumentLogo
}

export interface DocumentLogo {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** A PNG or JPEG in Base64. */
  readonly content: string
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

/** The lines of one tax rate together. */
export interface DocumentTax {
  /** Percent. */
  readonly rate: ExactNumber
  /** What is taxed, after all discounts. */
  readonly base: ExactNumber
  readonly amount: ExactNumber
}

/** A label and its value; without a value it is not printed. */
export type DocumentFact = readonly [label: string, value: string | null | undefined]

/** What every document has: what is above its table, and the texts below the amounts. */
export interface DocumentFrame {
  /** What it is, in capitals at the top: `QUOTE`. */
  readonly title: string
  /** `Q-000123`. */
  readonly number: string
  /** The name that somebody gave it. */
  readonly name?: string | null
  /** Beside the organization, below the number: dates, terms of payment. */
  readonly facts: readonly DocumentFact[]
  /** ISO 4217 code of all amounts. */
  readonly currency: string
  /** The organization that makes the document. */
  readonly organization: DocumentSeller
  /** Above the name of the customer: `Prepared for`. */
  readonly customerLabel: string
  readonly customer: DocumentParty
  /** Free texts below the amounts, such as terms. */
  readonly sections?: readonly DocumentFact[]
}

/** What the PDF of a quote, an order or an invoice shows. All amounts are calculated before; the document only formats them. */
export interface PricedDocument extends DocumentFrame {
  readonly lines: readonly DocumentLine[]
  readonly subtotal: ExactNumber
  readonly discountTotal?: ExactNumber | null
  readonly taxTotal?: ExactNumber | null
  /** The tax by rate; absent: only `taxTotal` is printed. */
  readonly taxes?: readonly DocumentTax[]
  readonly shippingTotal?: ExactNumber | null
  readonly total: ExactNumber
  /** Amounts below the total, such as what was paid of an invoice. The last one is printed as large as the total. */
  readonly afterTotal?: readonly (readonly [label: string, amount: ExactNumber])[]
  /** Places to sign for both parties, below what they agree to; without it, the document is not signed. */
  readonly signatures?: DocumentSignatures | null
}

export interface DocumentSignatures {
  readonly title: string
  readonly statement: string
  /** In bold below the statement: who agreed already. */
  readonly remark?: string | null
}

/** One movement of an account: what it adds to the balance or takes from it, and the balance after it. */
export interface DocumentEntry {
  readonly day: string
  readonly text: string
  readonly charge: ExactNumber | null
  readonly credit: ExactNumber | null
  readonly balance: ExactNumber
}

/** What the PDF of a statement of account shows. */
export interface StatementDocument extends DocumentFrame {
  readonly entries: readonly DocumentEntry[]
  /** Amounts below the entries. The last one is printed in large figures. */
  readonly summary: readonly (readonly [label: string, amount: ExactNumber])[]
}
