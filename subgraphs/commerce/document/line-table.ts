import type { AmountFormat } from './amount-format.ts'
import type { PageFlow } from './page-flow.ts'
import type { DocumentLine } from './priced-document.ts'
import { table, type ColumnOfTable } from './table.ts'

const positive = (value: DocumentLine['quantity'] | null | undefined): value is DocumentLine['quantity'] =>
  value !== null && value !== undefined && value !== 0

function discountOf({ discountPercent, discountAmount }: DocumentLine, format: AmountFormat): string {
  const parts = [
    ...(positive(discountPercent) ? [`${format.number(discountPercent)}%`] : []),
    ...(positive(discountAmount) ? [format.price(discountAmount)] : []),
  ]
  return parts.join(' + ')
}

/** The columns after the text of the line, aligned to the right. */
const columns: readonly ColumnOfTable<DocumentLine>[] = [
  { title: 'Quantity', width: 54, text: ({ quantity }, format) => format.number(quantity) },
  { title: 'Unit price', width: 78, text: ({ unitPrice }, format) => format.price(unitPrice) },
  { title: 'Discount', width: 62, text: discountOf },
  {
    title: 'Tax',
    width: 38,
    text: ({ taxRate }, format) => (positive(taxRate) ? `${format.number(taxRate)}%` : ''),
  },
  { title: 'Amount', width: 84, text: ({ lineTotal }, format) => format.amount(lineTotal) },
]

/** Draws the lines of a document. */
export const lineTable = (flow: PageFlow, lines: readonly DocumentLine[], format: AmountFormat): void =>
  table(flow, lines, {
    title: 'Item',
    columns,
    format,
    text: ({ name, sku, description }) => [[name, ...(sku ? [`(${sku})`] : [])].join(' '), description ?? null],
  })
