import { buffer } from 'node:stream/consumers'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { amountFormat } from './amount-format.ts'
import { entryTable } from './entry-table.ts'
import { lineTable } from './line-table.ts'
import { PageFlow, pagesMax } from './page-flow.ts'
import type { PricedDocument, StatementDocument } from './priced-document.ts'
import { footers, heading, signatures, summary, textSection, totals } from './sections.ts'
import { printable } from './text-bounds.ts'
import { newDocument, Typesetter } from './typesetter.ts'

/**
 * The PDF of a document in exact JSON, because exact numbers are not copied between threads. Every text is bounded and the document
 * has at most 60 pages. A long one takes more than 100 ms of CPU: `renderDocument` lays it out in a worker thread.
 */
export async function documentPdf(json: string): Promise<Uint8Array> {
  const document = parseJsonExactly(json) as PricedDocument | StatementDocument
  const doc = newDocument(printable(document.number, 60), printable(document.organization.name, 200))
  const written = buffer(doc)
  const flow = new PageFlow(new Typesetter(doc))
  const format = amountFormat(document.currency)
  heading(flow, document)
  if ('entries' in document) entryTable(flow, document.entries, format)
  else lineTable(flow, document.lines, format)
  flow.begin(pagesMax.text)
  if ('entries' in document) summary(flow, document, format)
  else totals(flow, document, format)
  for (const [title, text] of document.sections ?? []) textSection(flow, title, text)
  flow.begin(pagesMax.signatures)
  if (!('entries' in document)) signatures(flow, document)
  footers(flow, document)
  doc.end()
  return written
}
