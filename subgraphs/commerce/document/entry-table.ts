import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { AmountFormat } from './amount-format.ts'
import type { PageFlow } from './page-flow.ts'
import type { DocumentEntry } from './priced-document.ts'
import { table, type ColumnOfTable } from './table.ts'

const optional = (amount: ExactNumber | null, format: AmountFormat): string =>
  amount === null ? '' : format.amount(amount)

const columns: readonly ColumnOfTable<DocumentEntry>[] = [
  { title: 'Date', width: 90, text: ({ day }) => day },
  { title: 'Charge', width: 84, text: ({ charge }, format) => optional(charge, format) },
  { title: 'Credit', width: 84, text: ({ credit }, format) => optional(credit, format) },
  { title: 'Balance', width: 84, text: ({ balance }, format) => format.amount(balance) },
]

/** Draws the entries of a statement of account. */
export const entryTable = (flow: PageFlow, entries: readonly DocumentEntry[], format: AmountFormat): void =>
  table(flow, entries, { title: 'Entry', columns, format, text: ({ text }) => [text, null] })
