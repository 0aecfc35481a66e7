import type { AmountFormat } from './amount-format.ts'
import { contentWidth, page, type PageFlow } from './page-flow.ts'
import type { DocumentLine } from './priced-document.ts'
import { printable } from './text-bounds.ts'
import { heightOf } from './typesetter.ts'

interface ColumnOfTable {
  readonly title: string
  readonly width: number
  readonly text: (line: DocumentLine, format: AmountFormat) => string
}

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
const columns: readonly ColumnOfTable[] = [
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

const gap = 8
const textWidth = contentWidth - columns.reduce((sum, { width }) => sum + width + gap, 0)
const [size, small] = [8.5, 7.5]
/** Maximum lines of text of one line of the document. */
const [nameLinesMax, descriptionLinesMax] = [4, 12]

function header(flow: PageFlow): void {
  const { type } = flow
  const style = { style: 'bold', size: 8, color: '#555555' } as const
  type.line('Item', page.left, flow.y, style)
  let x = page.left + textWidth
  for (const { title, width } of columns) {
    type.line(title, x + gap, flow.y, { ...style, width, align: 'right' })
    x += width + gap
  }
  flow.y += heightOf(1, 8) + 3
  flow.rule('#808080')
  flow.y += 5
}

/** Draws the lines of a document, with the titles of the columns on every page. A line is never divided between pages. */
export function lineTable(flow: PageFlow, lines: readonly DocumentLine[], format: AmountFormat): void {
  const { type } = flow
  flow.makeRoom(60)
  header(flow)
  for (const line of lines) {
    const title = printable([line.name, ...(line.sku ? [`(${line.sku})`] : [])].join(' '), 400)
    const name = type.lines(title, textWidth, { size }, nameLinesMax)
    const description = line.description
      ? type.lines(printable(line.description, 2000), textWidth, { size: small }, descriptionLinesMax)
      : []
    const height = heightOf(name.length, size) + heightOf(description.length, small) + 8
    if (flow.makeRoom(height)) header(flow)
    if (flow.isFull) return
    const used = type.block(name, page.left, flow.y, { size })
    type.block(description, page.left, flow.y + used, { size: small, color: '#555555' })
    let x = page.left + textWidth
    for (const { width, text } of columns) {
      type.fitted(text(line, format), x + gap, flow.y, { size, width, align: 'right' })
      x += width + gap
    }
    flow.y += height - 4
    flow.rule('#e4e4e4')
    flow.y += 4
  }
}
