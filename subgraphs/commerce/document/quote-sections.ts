import type { AmountFormat } from './amount-format.ts'
import { contentWidth, page, type PageFlow } from './page-flow.ts'
import type { DocumentOrganization, DocumentParty, QuoteDocument } from './quote-document.ts'
import { printable } from './text-bounds.ts'
import { heightOf, type TextStyle } from './typesetter.ts'

export const half = contentWidth / 2 - 12
export const right = page.left + contentWidth / 2 + 12
export const label: TextStyle = { size: 8, color: '#555555' }

export type DayFormat = (time: string) => string

/** Days in the time zone of the organization: `1 November 2026`. */
export function dayFormat({ timezone }: DocumentOrganization): DayFormat {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: timezone ?? 'UTC' })
  return (time) => format.format(new Date(time))
}

const partyLines = ({ contactName, address = [], email, phone }: DocumentParty): string[] =>
  [contactName, ...address, email, phone].flatMap((part) => (part ? [printable(part, 200)] : []))

/** Draws a party with its name in bold, and returns the height. */
export function party({ type, y }: PageFlow, whole: DocumentParty, x: number, width: number, size: number): number {
  const name = type.lines(printable(whole.name, 200), width, { style: 'bold', size }, 3)
  const lines = partyLines(whole).flatMap((line) => type.lines(line, width, {}, 2))
  const used = type.block(name, x, y, { style: 'bold', size })
  return used + type.block(lines.slice(0, 14), x, y + used + 2) + 2
}

/** Rows of a label and a value, aligned to both sides of a column. Returns the height. */
export function facts(flow: PageFlow, rows: readonly (readonly [string, string])[], x: number, width: number): number {
  rows.forEach(([name, value], index) => {
    const y = flow.y + heightOf(index, 9)
    flow.type.line(name, x, y, label)
    flow.type.fitted(value, x + 90, y, { width: width - 90, align: 'right' })
  })
  return heightOf(rows.length, 9)
}

/** The organization, the facts of the quote, and the customer. */
export function heading(
  flow: PageFlow,
  quote: QuoteDocument,
  organization: DocumentOrganization,
  day: DayFormat,
): void {
  const { type } = flow
  type.line('QUOTE', right, flow.y - 4, { style: 'bold', size: 20, width: half, align: 'right' })
  const own = party(flow, organization, page.left, half, 13)
  flow.y += 30
  const revision = quote.revision && quote.revision > 1 ? [['Revision', String(quote.revision)] as const] : []
  const stated = facts(
    flow,
    [
      ['Number', printable(quote.number, 60)],
      ...revision,
      ['Date', day(quote.date)],
      ...(quote.validUntil ? [['Valid until', day(quote.validUntil)] as const] : []),
      ...(quote.paymentTerms ? [['Payment', printable(quote.paymentTerms, 60)] as const] : []),
      ['Currency', quote.currency],
    ],
    right,
    half,
  )
  flow.y += Math.max(own - 30, stated) + 22
  type.line('Prepared for', page.left, flow.y, label)
  flow.y += heightOf(1, 8) + 2
  flow.y += party(flow, quote.customer, page.left, contentWidth, 10) + 18
  if (quote.name) {
    flow.paragraph(printable(quote.name, 300), { style: 'bold', size: 12 })
    flow.y += 8
  }
}

const isAmount = (value: QuoteDocument['taxTotal']): value is QuoteDocument['total'] =>
  value !== null && value !== undefined && value !== 0

export function totals(flow: PageFlow, quote: QuoteDocument, format: AmountFormat): void {
  const rows: (readonly [string, string])[] = [
    ['Subtotal', format.amount(quote.subtotal)],
    ...(isAmount(quote.discountTotal) ? [['Discount', `−${format.amount(quote.discountTotal)}`] as const] : []),
    ...(isAmount(quote.shippingTotal) ? [['Shipping', format.amount(quote.shippingTotal)] as const] : []),
    ...(isAmount(quote.taxTotal) ? [['Tax', format.amount(quote.taxTotal)] as const] : []),
  ]
  flow.makeRoom(heightOf(rows.length, 9) + 50)
  if (flow.isFull) return
  flow.y += 6
  flow.y += facts(flow, rows, right, half) + 4
  const { doc } = flow.type
  doc.rect(right - 6, flow.y, half + 6, 24).fill('#f0f2f5')
  flow.type.line('Total', right, flow.y + 6, { style: 'bold', size: 10 })
  flow.type.fitted(format.amount(quote.total), right + 60, flow.y + 5, {
    style: 'bold',
    size: 12,
    width: half - 66,
    align: 'right',
  })
  flow.y += 42
}

/** Free text below a title, if there is any. */
export function textSection(flow: PageFlow, title: string, text: string | null | undefined): void {
  if (!text) return
  flow.makeRoom(50)
  if (flow.isFull) return
  flow.type.line(title, page.left, flow.y, { style: 'bold', size: 10 })
  flow.y += heightOf(1, 10) + 3
  flow.paragraph(printable(text, 20_000), { size: 8.5 })
  flow.y += 14
}

const signatureLines = ['Name', 'Title', 'Date', 'Signature'] as const

/** Places to sign for both parties; never divided between pages. */
export function signatures(
  flow: PageFlow,
  { customer, acceptance }: QuoteDocument,
  { name }: DocumentOrganization,
  day: DayFormat,
): void {
  flow.makeRoom(190)
  if (flow.isFull) return
  flow.type.line('Acceptance', page.left, flow.y, { style: 'bold', size: 10 })
  flow.y += heightOf(1, 10) + 4
  flow.paragraph('By signing below, both parties agree to the items, prices and terms of this quote.', { size: 8.5 })
  if (acceptance) {
    const by = `Accepted electronically by ${printable(acceptance.name, 200)} on ${day(acceptance.acceptedAt)}.`
    flow.paragraph(by, { style: 'bold', size: 8.5 })
  }
  flow.y += 10
  const top = flow.y
  const parties = [
    [name, page.left],
    [customer.name, right],
  ] as const
  for (const [signer, x] of parties) {
    flow.type.line(flow.type.lines(`For ${printable(signer, 200)}`, half, { style: 'bold' }, 1)[0]!, x, top, {
      style: 'bold',
    })
    signatureLines.forEach((title, index) => {
      const y = top + 40 + index * 26
      flow.type.line(title, x, y - 9, label)
      flow.type.doc
        .moveTo(x + 56, y)
        .lineTo(x + half, y)
        .lineWidth(0.5)
        .strokeColor('#808080')
        .stroke()
    })
  }
  flow.y = top + 40 + signatureLines.length * 26
}

/** The number of the quote and of the page on every page, when their number is known. */
export function footers({ type, isCut }: PageFlow, { number }: QuoteDocument, { name }: DocumentOrganization): void {
  const { start, count } = type.doc.bufferedPageRange()
  const title = type.lines(
    `${printable(name, 100)} · ${printable(number, 60)}`,
    contentWidth - 90,
    { size: 7.5 },
    1,
  )[0]!
  const y = page.height - page.bottom + 28
  const style = { size: 7.5, color: '#555555' }
  for (let index = 0; index < count; index += 1) {
    type.doc.switchToPage(start + index)
    type.line(title, page.left, y, style)
    const remark = isCut && index === count - 1 ? ' (shortened)' : ''
    type.line(`Page ${index + 1} of ${count}${remark}`, page.left, y, { ...style, width: contentWidth, align: 'right' })
  }
}
