import type { AmountFormat } from './amount-format.ts'
import { contentWidth, page, type PageFlow } from './page-flow.ts'
import type {
  DocumentFrame,
  DocumentLogo,
  DocumentParty,
  PricedDocument,
  StatementDocument,
} from './priced-document.ts'
import { printable } from './text-bounds.ts'
import { heightOf, type TextStyle } from './typesetter.ts'

const half = contentWidth / 2 - 12
const right = page.left + contentWidth / 2 + 12
const label: TextStyle = { size: 8, color: '#555555' }

const partyLines = ({ contactName, address = [], email, phone, taxId }: DocumentParty): string[] =>
  [contactName, ...address, email, phone, taxId && `Tax id ${taxId}`].flatMap((part) =>
    part ? [printable(part, 200)] : [],
  )

/** Draws a party with its name in bold, and returns the height. */
function party({ type, y }: PageFlow, whole: DocumentParty, x: number, width: number, size: number): number {
  const name = type.lines(printable(whole.name, 200), width, { style: 'bold', size }, 3)
  const lines = partyLines(whole).flatMap((line) => type.lines(line, width, {}, 2))
  const used = type.block(name, x, y, { style: 'bold', size })
  return used + type.block(lines.slice(0, 14), x, y + used + 2) + 2
}

type Row = readonly [label: string, value: string]

/** Rows of a label and a value, aligned to both sides of a column. Returns the height. */
function facts(flow: PageFlow, rows: readonly Row[], x: number, width: number, labelWidth = 90): number {
  rows.forEach(([name, value], index) => {
    const y = flow.y + heightOf(index, 9)
    flow.type.fitted(name, x, y, { ...label, width: labelWidth - 4 })
    flow.type.fitted(value, x + labelWidth, y, { width: width - labelWidth, align: 'right' })
  })
  return heightOf(rows.length, 9)
}

/** The largest logo in points. */
const logoBox = [half, 48] as const

/** Draws the logo above the name of the organization, and returns its height with the space below it. */
function drawn({ type, y }: PageFlow, { width, height, content }: DocumentLogo): number {
  const scale = Math.min(logoBox[0] / width, logoBox[1] / height)
  type.doc.image(Buffer.from(content, 'base64'), page.left, y - 4, { width: width * scale, height: height * scale })
  return height * scale + 6
}

/** The organization, the facts of the document, and the customer. */
export function heading(flow: PageFlow, document: DocumentFrame): void {
  const { type } = flow
  const { logo, color } = document.organization
  type.fitted(document.title, right, flow.y - 4, { style: 'bold', size: 20, width: half, align: 'right' })
  if (color) type.doc.rect(page.left, flow.y - 18, contentWidth, 4).fill(color)
  const top = flow.y
  const logoHeight = logo ? drawn(flow, logo) : 0
  flow.y += logoHeight
  const own = logoHeight + party(flow, document.organization, page.left, half, 13)
  flow.y = top + 30
  const stated = [['Number', document.number] as const, ...document.facts, ['Currency', document.currency] as const]
  const rows = stated.flatMap(([name, value]) => (value ? [[name, printable(value, 60)] as const] : []))
  flow.y += Math.max(own - 30, facts(flow, rows, right, half)) + 22
  type.line(document.customerLabel, page.left, flow.y, label)
  flow.y += heightOf(1, 8) + 2
  flow.y += party(flow, document.customer, page.left, contentWidth, 10) + 18
  if (document.name) {
    flow.paragraph(printable(document.name, 300), { style: 'bold', size: 12 })
    flow.y += 8
  }
}

const isAmount = (value: PricedDocument['taxTotal']): value is PricedDocument['total'] =>
  value !== null && value !== undefined && value !== 0

/** An amount in large figures on a coloured bar. */
function highlighted(flow: PageFlow, name: string, amount: string): void {
  const { doc } = flow.type
  doc.rect(right - 6, flow.y, half + 6, 24).fill('#f0f2f5')
  flow.type.line(name, right, flow.y + 6, { style: 'bold', size: 10 })
  flow.type.fitted(amount, right + 100, flow.y + 5, { style: 'bold', size: 12, width: half - 106, align: 'right' })
  flow.y += 30
}

/** Maximum number of tax rates that are printed separately. */
const ratesMax = 12
/** Width of the labels of the totals. */
const totalLabel = 130

function taxRows({ taxTotal, taxes = [] }: PricedDocument, format: AmountFormat): Row[] {
  if (!isAmount(taxTotal)) return []
  const all: Row = ['Tax', format.amount(taxTotal)]
  if (taxes.length === 0 || taxes.length > ratesMax) return [all]
  const byRate = taxes.map(({ rate, base, amount }): Row => [
    `Tax ${format.number(rate)}% on ${format.amount(base)}`,
    format.amount(amount),
  ])
  return taxes.length === 1 ? byRate : [...byRate, all]
}

export function totals(flow: PageFlow, document: PricedDocument, format: AmountFormat): void {
  const rows: Row[] = [
    ['Subtotal', format.amount(document.subtotal)],
    ...(isAmount(document.discountTotal) ? [['Discount', `−${format.amount(document.discountTotal)}`] as const] : []),
    ...(isAmount(document.shippingTotal) ? [['Shipping', format.amount(document.shippingTotal)] as const] : []),
    ...taxRows(document, format),
  ]
  const after = (document.afterTotal ?? []).map(([name, amount]) => [name, format.amount(amount)] as const)
  const last = after.at(-1)
  flow.makeRoom(heightOf(rows.length + after.length, 9) + (last ? 90 : 50))
  if (flow.isFull) return
  flow.y += 6
  flow.y += facts(flow, rows, right, half, totalLabel) + 4
  highlighted(flow, 'Total', format.amount(document.total))
  if (last) {
    flow.y += facts(flow, after.slice(0, -1), right, half) + 4
    highlighted(flow, ...last)
  }
  flow.y += 12
}

/** The amounts of a statement, the last one in large figures. */
export function summary(flow: PageFlow, { summary: amounts }: StatementDocument, format: AmountFormat): void {
  const rows = amounts.map(([name, amount]) => [name, format.amount(amount)] as const)
  flow.makeRoom(heightOf(rows.length, 9) + 50)
  if (flow.isFull) return
  flow.y += 6
  flow.y += facts(flow, rows.slice(0, -1), right, half, totalLabel) + 4
  highlighted(flow, ...rows.at(-1)!)
  flow.y += 12
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
export function signatures(flow: PageFlow, { signatures: wanted, organization, customer }: PricedDocument): void {
  if (!wanted) return
  flow.makeRoom(190)
  if (flow.isFull) return
  flow.type.line(wanted.title, page.left, flow.y, { style: 'bold', size: 10 })
  flow.y += heightOf(1, 10) + 4
  flow.paragraph(wanted.statement, { size: 8.5 })
  if (wanted.remark) flow.paragraph(printable(wanted.remark, 300), { style: 'bold', size: 8.5 })
  flow.y += 10
  const top = flow.y
  const parties = [
    [organization.name, page.left],
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

/** The number of the document and of the page on every page, when their number is known. */
export function footers({ type, isCut }: PageFlow, { number, organization: { name } }: DocumentFrame): void {
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
