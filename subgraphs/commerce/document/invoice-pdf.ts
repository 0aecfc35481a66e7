import { buffer } from 'node:stream/consumers'
import { amountFormat, type AmountFormat } from './amount-format.ts'
import type { InvoiceDocument } from './invoice-document.ts'
import { lineTable } from './line-table.ts'
import { contentWidth, page, PageFlow, pagesMax } from './page-flow.ts'
import type { DocumentOrganization } from './quote-document.ts'
import { dayFormat, facts, footers, half, label, party, right, textSection, totals } from './quote-sections.ts'
import { printable } from './text-bounds.ts'
import { heightOf, newDocument, Typesetter } from './typesetter.ts'

/** Days are stored as midnight UTC. */
const day = dayFormat({ name: '', timezone: 'UTC' })

/** The PDF of an invoice. Every text is bounded and the document has at most 60 pages. */
export async function invoicePdf(invoice: InvoiceDocument, organization: DocumentOrganization): Promise<Buffer> {
  const doc = newDocument(printable(invoice.number, 60), printable(organization.name, 200))
  const written = buffer(doc)
  const flow = new PageFlow(new Typesetter(doc))
  const format = amountFormat(invoice.currency)
  heading(flow, invoice, organization)
  await lineTable(flow, invoice.lines, format)
  flow.begin(pagesMax.text)
  totals(flow, { ...invoice, date: invoice.issueDate }, format)
  balance(flow, invoice, format)
  textSection(flow, 'How to pay', howToPay(invoice))
  textSection(flow, 'Terms', invoice.terms)
  footers(flow, { ...invoice, date: invoice.issueDate }, organization)
  doc.end()
  return written
}

/** The organization, the facts of the invoice, and the customer. */
function heading(flow: PageFlow, invoice: InvoiceDocument, organization: DocumentOrganization): void {
  const { type } = flow
  const title = invoice.isVoid ? 'INVOICE (VOID)' : 'INVOICE'
  type.line(title, right, flow.y - 4, { style: 'bold', size: 20, width: half, align: 'right' })
  const own = party(flow, organization, page.left, half, 13)
  flow.y += 30
  const stated = facts(
    flow,
    [
      ['Number', printable(invoice.number, 60)],
      ['Date', day(invoice.issueDate)],
      ...(invoice.dueDate ? [['Due date', day(invoice.dueDate)] as const] : []),
      ['Payment', printable(invoice.paymentTerms, 60)],
      ...(invoice.purchaseOrderNumber ? [['Your order', printable(invoice.purchaseOrderNumber, 100)] as const] : []),
      ['Currency', invoice.currency],
    ],
    right,
    half,
  )
  flow.y += Math.max(own - 30, stated) + 22
  type.line('Bill to', page.left, flow.y, label)
  flow.y += heightOf(1, 8) + 2
  flow.y += party(flow, invoice.customer, page.left, contentWidth, 10) + 18
}

/** What is paid and what is due, if something is paid. */
function balance(flow: PageFlow, { amountPaid, amountDue }: InvoiceDocument, format: AmountFormat): void {
  if (amountPaid === 0) return
  flow.makeRoom(50)
  if (flow.isFull) return
  flow.y -= 10
  const rows = [
    ['Paid', format.amount(amountPaid)],
    ['Amount due', format.amount(amountDue)],
  ] as const
  flow.y += facts(flow, rows, right, half) + 14
}

function howToPay({ number, isVoid, amountDue, dueDate, paymentInstructions, publicUrl, currency }: InvoiceDocument) {
  if (isVoid) return 'This invoice is void. Please do not pay it.'
  const amount = amountFormat(currency).amount(amountDue)
  const parts = [
    amountDue === 0 ? '' : `Please pay ${amount}${dueDate ? ` by ${day(dueDate)}` : ''} and state ${number}.`,
    paymentInstructions ?? '',
    publicUrl === null ? '' : `This invoice online: ${publicUrl}`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}
