import { heightOf, type TextStyle, type Typesetter } from './typesetter.ts'

/** An A4 page in points. */
export const page = { width: 595.28, height: 841.89, left: 48, right: 48, top: 48, bottom: 64 } as const
export const contentWidth = page.width - page.left - page.right

/** The last page that each part of a document may reach; what does not fit is left out, and the last page says so. */
export const pagesMax = { lines: 50, text: 58, signatures: 60 } as const

/** A position that moves down the pages. */
export class PageFlow {
  y: number = page.top
  #pages = 1
  #pagesMax: number = pagesMax.lines
  /** True when the part that is drawn has no more room. */
  isFull = false
  /** True when something was left out. */
  isCut = false

  readonly type: Typesetter

  constructor(type: Typesetter) {
    this.type = type
  }

  /** Begins a part of the document that may reach this page. */
  begin(lastPage: number): void {
    this.#pagesMax = lastPage
    this.isFull = false
  }

  /** Begins a page unless the height fits on this one. True if it begins one. */
  makeRoom(height: number): boolean {
    if (this.y + height <= page.height - page.bottom) return false
    if (this.#pages >= this.#pagesMax) {
      this.isFull = true
      this.isCut = true
      return false
    }
    this.type.doc.addPage()
    this.#pages += 1
    this.y = page.top
    return true
  }

  /** Draws a text over the full width, over pages if needed. */
  paragraph(text: string, style: TextStyle = {}): void {
    const { size = 9 } = style
    for (const line of this.type.lines(text, contentWidth, style)) {
      this.makeRoom(heightOf(1, size))
      if (this.isFull) return
      this.type.line(line, page.left, this.y, style)
      this.y += heightOf(1, size)
    }
  }

  rule(color = '#c8c8c8'): void {
    const { doc } = this.type
    doc
      .moveTo(page.left, this.y)
      .lineTo(page.width - page.right, this.y)
      .lineWidth(0.5)
      .strokeColor(color)
      .stroke()
  }
}
