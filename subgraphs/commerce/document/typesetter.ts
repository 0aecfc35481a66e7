import PDFDocument from 'pdfkit'
import { fontBytes, type FontName, type Style } from './fonts.ts'
import { visualRuns, type Run } from './visual-runs.ts'

export interface TextStyle {
  readonly style?: Style
  readonly size?: number
  readonly color?: string
  readonly align?: 'left' | 'right'
}

/** The smallest size to which a text that must fit in one line is reduced. */
const sizeMin = 4
const lineHeight = 1.35
/** Each of these characters may begin a line: Chinese, Japanese and Korean do not separate words by spaces. */
const tokens =
  /\s|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+/gu

export const heightOf = (lines: number, size: number): number => lines * size * lineHeight

/** Measures, breaks and draws text in several fonts, in any script. */
export class Typesetter {
  readonly #widths = new Map<string, number>()
  readonly #runs = new Map<string, readonly Run[]>()

  readonly #fonts = new Set<FontName>()

  readonly doc: PDFKit.PDFDocument

  constructor(doc: PDFKit.PDFDocument) {
    this.doc = doc
  }

  #font(name: FontName, size: number): PDFKit.PDFDocument {
    if (!this.#fonts.has(name)) this.doc.registerFont(name, fontBytes(name))
    this.#fonts.add(name)
    return this.doc.font(name).fontSize(size)
  }

  width(text: string, { style = 'regular', size = 9 }: TextStyle): number {
    const key = `${style} ${text}`
    let known = this.#widths.get(key)
    if (known === undefined) {
      // Widths grow with the size exactly, so one size is measured.
      known = 0
      for (const run of this.#runsOf(text, style)) known += this.#font(run.font, 1000).widthOfString(run.text) / 1000
      this.#widths.set(key, known)
    }
    return known * size
  }

  #runsOf(text: string, style: Style): readonly Run[] {
    const key = `${style} ${text}`
    let known = this.#runs.get(key)
    if (!known) this.#runs.set(key, (known = visualRuns(text, style)))
    return known
  }

  /** The lines of a text in a column; the last of `linesMax` ends with an ellipsis if there are more. */
  lines(text: string, width: number, style: TextStyle, linesMax = Infinity): string[] {
    const lines: string[] = []
    for (const paragraph of text.split('\n')) {
      if (lines.length > linesMax) break
      lines.push(...this.#paragraph(paragraph, width, style, linesMax + 1 - lines.length))
    }
    if (lines.length <= linesMax) return lines
    return [...lines.slice(0, linesMax - 1), `${lines[linesMax - 1]!.slice(0, -1)}…`]
  }

  #paragraph(text: string, width: number, style: TextStyle, linesMax: number): string[] {
    const lines: string[] = []
    let line = ''
    let used = 0
    const add = (token: string): void => {
      const wide = this.width(token, style)
      if (used + wide > width && line !== '') {
        lines.push(line.trimEnd())
        ;[line, used] = ['', 0]
      }
      if (line === '' && token === ' ') return
      line += token
      used += wide
    }
    for (const [token] of text.matchAll(tokens)) {
      if (lines.length >= linesMax) break
      // A word that is wider than the column is broken anywhere.
      if (this.width(token, style) > width) for (const character of token) add(character)
      else add(token)
    }
    return [...lines, line.trimEnd()]
  }

  /** Draws one line; `y` is its top. */
  line(text: string, x: number, y: number, style: TextStyle & { readonly width?: number } = {}): void {
    const { size = 9, color = '#1a1a1a', align = 'left', width = 0 } = style
    let at = align === 'right' ? x + width - this.width(text, style) : x
    const baseline = y + size
    for (const run of this.#runsOf(text, style.style ?? 'regular')) {
      this.#font(run.font, size).fillColor(color)
      this.doc.text(run.text, at, baseline, { lineBreak: false, baseline: 'alphabetic' })
      at += this.doc.widthOfString(run.text)
    }
  }

  /** Draws one line that must not be cut, such as an amount: it is smaller if the column is too narrow. */
  fitted(text: string, x: number, y: number, style: TextStyle & { readonly width: number }): void {
    const { size = 9 } = style
    const fitting = (size * style.width) / Math.max(this.width(text, style), style.width)
    this.line(text, x, y, { ...style, size: Math.max(fitting, sizeMin) })
  }

  /** Draws lines below each other and returns the height. */
  block(lines: readonly string[], x: number, y: number, style: TextStyle & { readonly width?: number } = {}): number {
    const { size = 9 } = style
    lines.forEach((line, index) => this.line(line, x, y + heightOf(index, size), style))
    return heightOf(lines.length, size)
  }
}

export const newDocument = (title: string, author: string): PDFKit.PDFDocument =>
  new PDFDocument({ size: 'A4', margin: 0, bufferPages: true, info: { Title: title, Author: author } })
