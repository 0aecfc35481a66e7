import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { KnowledgeDocument } from './document.types.ts'
import { visibleDocuments } from './visible-documents.ts'

export const documentColumns = `d.id, d.owner_id as "ownerId", d.name, d.format, d.category, d.status, d.failure_code as "failureCode",
  d.failure_message as "failureMessage", d.record_type as "recordType", d.record_id as "recordId", d.is_shared as "isShared", d.bytes, d.sha256,
  d.page_count as "pageCount", d.passage_count as "passageCount", '/v1/documents/' || d.id || '/content' as "contentUrl",
  d.created_at as "createdAt", d.updated_at as "updatedAt"`

export interface StoredDocument extends KnowledgeDocument {
  readonly fileId: string | null
}

/** The document, if the caller sees it. `isLocked`: it stays as it is until the end of the transaction. */
export async function requireDocument(ctx: RequestContext, id: string, isLocked = false): Promise<StoredDocument> {
  const predicate = computedOver(ctx)
  const wanted = predicate.values.add(id)
  const [row] = isId(id)
    ? await ctx.db.query<StoredDocument & Record<string, unknown>>(
        `select ${documentColumns}, d.file_id as "fileId" from assistant.document d
         where d.id = ${wanted} and ${visibleDocuments(predicate, 'd')}${isLocked ? ' for update of d' : ''}`,
        predicate.values.list,
        isLocked ? 'WRITE' : 'LOOKUP',
      )
    : []
  if (!row) throw notFound('The document')
  return row
}
