import { buffer } from 'node:stream/consumers'
import { amountFormat } from './amount-format.ts'
import { lineTable } from './line-table.ts'
import { PageFlow, pagesMax } from './page-flow.ts'
import type { DocumentOrganization, QuoteDocument } from './quote-document.ts'
import { dayFormat, footers, heading, signatures, textSection, totals } from './quote-sections.ts'
import { printable } from './text-bounds.ts'
import { newDocument, Typesetter } from './typesetter.ts'

/**
 * The PDF of a quote, to print and sign. Every text is bounded and the document has at most 60 pages. The layout gives the event
 * loop a turn after every few lines.
 */
export async function quotePdf(quote: QuoteDocument, organization: DocumentOrganization): Promise<Buffer> {
  const doc = newDocument(printable(quote.number, 60), printable(organization.name, 200))
  const written = buffer(doc)
  const flow = new PageFlow(new Typesetter(doc))
  const [format, day] = [amountFormat(quote.currency), dayFormat(organization)]
  heading(flow, quote, organization, day)
  await lineTable(flow, quote.lines, format)
  flow.begin(pagesMax.text)
  totals(flow, quote, format)
  textSection(flow, 'Notes', quote.notes)
  textSection(flow, 'Terms', quote.terms)
  flow.begin(pagesMax.signatures)
  signatures(flow, quote, organization, day)
  footers(flow, quote, organization)
  doc.end()
  return written
}
