import type { RequestContext } from '../../kernel/request.ts'
import type { Cause } from '../../kernel/work/share.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import type { documentPdf } from './document-pdf.ts'
import type { PricedDocument, StatementDocument } from './priced-document.ts'

const pdfTask = threadTask<typeof documentPdf>(import.meta.url, './document-pdf', 'documentPdf')

/**
 * The PDF of a document, laid out in a worker thread. Inside a transaction use it in an `externalCall`, so that no connection waits
 * for the thread. Refuses with `UNAVAILABLE` when too many documents are waiting.
 */
export async function renderDocument(
  { work, caller }: RequestContext<'work'>,
  document: PricedDocument | StatementDocument,
  cause: Cause = 'ORGANIZATION',
): Promise<Buffer> {
  const bytes = await work.run(pdfTask, JSON.stringify(document), caller.organizationId, cause)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
