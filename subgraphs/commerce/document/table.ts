import type { AmountFormat } from './amount-format.ts'
import { contentWidth, page, type PageFlow } from './page-flow.ts'
import { printable } from './text-bounds.ts'
import { heightOf } from './typesetter.ts'

/** A column after the text of the row, aligned to the right. */
export interface ColumnOfTable<R> {
  readonly title: string
  readonly width: number
  readonly text: (row: R, format: AmountFormat) => string
}

export interface TableOf<R> {
  /** Title of the texts. */
  readonly title: string
  readonly columns: readonly ColumnOfTable<R>[]
  readonly format: AmountFormat
  /** The text of a row, and what is below it in small letters. */
  readonly text: (row: R) => readonly [title: string, description: string | null]
}

const gap = 8
const [size, small] = [8.5, 7.5]
/** Maximum lines of text of one row. */
const [titleLinesMax, descriptionLinesMax] = [4, 12]

function header<R>(flow: PageFlow, { title, columns }: TableOf<R>, textWidth: number): void {
  const { type } = flow
  const style = { style: 'bold', size: 8, color: '#555555' } as const
  type.line(title, page.left, flow.y, style)
  let x = page.left + textWidth
  for (const { title: name, width } of columns) {
    type.line(name, x + gap, flow.y, { ...style, width, align: 'right' })
    x += width + gap
  }
  flow.y += heightOf(1, 8) + 3
  flow.rule('#808080')
  flow.y += 5
}

/** Draws rows, with the titles of the columns on every page. A row is never divided between pages. */
export function table<R>(flow: PageFlow, rows: readonly R[], of: TableOf<R>): void {
  const { type } = flow
  const textWidth = contentWidth - of.columns.reduce((sum, { width }) => sum + width + gap, 0)
  flow.makeRoom(60)
  header(flow, of, textWidth)
  for (const row of rows) {
    const [text, below] = of.text(row)
    const title = type.lines(printable(text, 400), textWidth, { size }, titleLinesMax)
    const description = below ? type.lines(printable(below, 2000), textWidth, { size: small }, descriptionLinesMax) : []
    const height = heightOf(title.length, size) + heightOf(description.length, small) + 8
    if (flow.makeRoom(height)) header(flow, of, textWidth)
    if (flow.isFull) return
    const used = type.block(title, page.left, flow.y, { size })
    type.block(description, page.left, flow.y + used, { size: small, color: '#555555' })
    let x = page.left + textWidth
    for (const { width, text: cell } of of.columns) {
      type.fitted(cell(row, of.format), x + gap, flow.y, { size, width, align: 'right' })
      x += width + gap
    }
    flow.y += height - 4
    flow.rule('#e4e4e4')
    flow.y += 4
  }
}
