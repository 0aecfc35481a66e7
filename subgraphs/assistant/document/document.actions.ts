import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { lockOf } from '../../kernel/database/locks.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { keepFile, releaseFile, type WrittenFile } from '../../kernel/file/file-store.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import { computedOver, type TenantPredicate } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireRole } from '../../kernel/require.ts'
import { documentsMax, fileBytesMax, inlineBytesMax } from './bounds.ts'
import { formatOf, objectOf, type DocumentFormat } from './document.enumerations.ts'
import type {
  KnowledgeDocument,
  KnowledgeDocumentCreateInput,
  KnowledgeDocumentListArgs,
  KnowledgeDocumentUpdateInput,
} from './document.types.ts'
import { documentColumns, requireDocument, type StoredDocument } from './stored-document.ts'
import { visibleDocuments } from './visible-documents.ts'

export type DocumentContext = RequestContext<'files'>

const requireWriter = (ctx: RequestContext): void => requireRole(ctx, 'OWNER', 'ADMIN', 'MANAGER', 'MEMBER')

export function listDocuments(
  ctx: RequestContext,
  { status, recordId, category, accountId, ...args }: KnowledgeDocumentListArgs,
  info: SelectionInfo,
) {
  const predicate = computedOver(ctx)
  const where = [visibleDocuments(predicate, 'd')]
  if (status) where.push(`d.status = ${predicate.values.add(status)}`)
  if (recordId != null) where.push(isId(recordId) ? `d.record_id = ${predicate.values.add(recordId)}` : 'false')
  if (category) where.push(`d.category = ${predicate.values.add(category)}`)
  if (accountId != null) where.push(isId(accountId) ? aboutAccount(predicate, accountId) : 'false')
  const list = {
    select: documentColumns,
    from: `assistant.document d where ${where.join(' and ')}`,
    values: predicate.values.list,
    key: { sql: 'd.id', type: 'uuid', of: (row: { [name: string]: unknown }) => row['id'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

/** The condition for the documents about an account or one of its deals. */
function aboutAccount(predicate: TenantPredicate, accountId: string): string {
  const id = predicate.values.add(accountId)
  const [shape, deal] = [recordType('opportunity')(), predicate.alias()]
  const column = shape.columns.byName.get('accountId')!.sql(deal)
  const deals = `select ${deal}.id from ${readSource(shape)} ${deal} where ${predicate.tenant(shape, deal)} and ${column} = ${id}::uuid`
  return `(d.record_id = ${id}::uuid or d.record_type = 'OPPORTUNITY' and d.record_id in (${deals}))`
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function contentOf({ content }: KnowledgeDocumentCreateInput): Buffer | null {
  if (content == null) return null
  if (!base64.test(content))
    throw invalid({ path: 'content', code: 'NOT_BASE64', message: 'content must be a file in Base64.' })
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length <= inlineBytesMax) return bytes
  const message = `content must have at most ${inlineBytesMax} bytes; send a larger file to contentUrl.`
  throw invalid({ path: 'content', code: 'TOO_LONG', message })
}

function requireFormat({ name, format }: KnowledgeDocumentCreateInput): DocumentFormat {
  const known = format ?? formatOf(name)
  if (known) return known
  throw invalid({
    path: 'format',
    code: 'REQUIRED',
    message: 'format is required, because name has no ending of a known format.',
  })
}

async function requireLink(
  ctx: RequestContext,
  { recordType: type, recordId, isShared }: KnowledgeDocumentCreateInput,
): Promise<void> {
  if (type == null && recordId == null) return
  if (type == null || recordId == null) {
    const path = type == null ? 'recordType' : 'recordId'
    throw invalid({ path, code: 'REQUIRED', message: 'recordType and recordId must be given together.' })
  }
  if (isShared)
    throw invalid({
      path: 'isShared',
      code: 'NOT_ALLOWED',
      message: 'isShared must be false for a document that is about a record.',
    })
  const visible = isId(recordId) ? await visibleIds(ctx, recordType(objectOf[type])(), [recordId]) : new Set()
  if (visible.size === 0)
    throw invalid({
      path: 'recordId',
      code: 'UNKNOWN_REFERENCE',
      message: 'recordId must be the id of an existing record that you can see.',
    })
}

/** Adds a document. A file that comes with it is on the disk before the transaction that stores the document. */
export async function createDocument(
  ctx: DocumentContext,
  input: KnowledgeDocumentCreateInput,
): Promise<KnowledgeDocument> {
  requireWriter(ctx)
  const format = requireFormat(input)
  const content = contentOf(input)
  const { organizationId } = ctx.caller
  let written: WrittenFile | null = null
  return transactionWithExternalCalls(ctx, async (inner) => {
    await requireLink(inner, input)
    if (content)
      // A dry run measures the bytes. One mutation may create several documents.
      written = await pureCall(
        inner,
        inner.externalCalls!.numbered(`file ${hash('sha256', content)}`),
        async () => () =>
          ctx.files.write(Readable.from([content]), {
            organizationId,
            bytesMax: inlineBytesMax,
            announced: content.length,
          }),
      )
    const { db } = inner
    // Two requests at the same time must not exceed the limit together.
    await db.query(`select pg_advisory_xact_lock(${lockOf('documents')})`, [organizationId], 'WRITE')
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from assistant.document where organization_id = $1 and deleted_at is null',
      [organizationId],
      'WRITE',
    )
    if (row!.count >= documentsMax)
      throw refusalInSituation(`The organization has ${documentsMax} documents; delete one first.`)
    return requireDocument(inner, await insertDocument(inner, { ...input, format }, written))
  })
}

type Storing = Pick<RequestContext, 'db' | 'clock'> & {
  readonly caller: Pick<RequestContext['caller'], 'organizationId' | 'userId'>
}

/** Stores a document, with its file if that has been written. Returns its id. */
export async function insertDocument(
  ctx: Storing,
  { name, format, category, recordType: type, recordId, isShared }: KnowledgeDocumentCreateInput,
  written: WrittenFile | null,
): Promise<string> {
  const { db, caller, clock } = ctx
  const id = newId()
  const now = clock.now().toISOString()
  await db.query(
    `insert into assistant.document
       (organization_id, id, owner_id, name, format, category, status, record_type, record_id, is_shared, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'UPLOADING', $7, $8, $9, $10, $10)`,
    [
      caller.organizationId,
      id,
      caller.userId,
      name,
      format,
      category ?? 'OTHER',
      type ?? null,
      recordId ?? null,
      isShared ?? false,
      now,
    ],
    'WRITE',
  )
  if (written) await addFile(ctx, id, written)
  return id
}

/** Changes the category of a document. */
export function updateDocument(
  ctx: RequestContext,
  id: string,
  { category }: KnowledgeDocumentUpdateInput,
): Promise<KnowledgeDocument> {
  requireWriter(ctx)
  return inTransaction(ctx, async (inner) => {
    const found = await requireDocument(inner, id, true)
    if (found.category === category) return found
    await inner.db.query(
      'update assistant.document set category = $3, updated_at = $4 where organization_id = $1 and id = $2',
      [inner.caller.organizationId, found.id, category, inner.clock.now().toISOString()],
      'WRITE',
    )
    return requireDocument(inner, found.id)
  })
}

/** Gives a document its file, and queues the reading of its text. */
async function addFile(
  { db, caller, clock }: Storing,
  id: string,
  { id: fileId, bytes, sha256 }: WrittenFile,
): Promise<void> {
  const { organizationId } = caller
  await keepFile(db, organizationId, fileId)
  await db.query(
    `update assistant.document set file_id = $3, bytes = $4, sha256 = $5, status = 'PROCESSING', updated_at = $6 where organization_id = $1 and id = $2`,
    [organizationId, id, fileId, bytes, sha256, clock.now().toISOString()],
    'WRITE',
  )
  await queueRun(db, organizationId, id)
}

const queueRun = (db: RequestContext['db'], organizationId: string, documentId: string) =>
  db.query(
    'insert into assistant.document_run (organization_id, id, document_id) values ($1, $2, $3)',
    [organizationId, newId(), documentId],
    'WRITE',
  )

function requireUploading({ status }: KnowledgeDocument): void {
  if (status !== 'UPLOADING')
    throw refusalInSituation('The document has its file; add another document for another file.')
}

/** Takes the file of a document whose file was not sent with it. The rights are checked before the first byte is read. */
export async function uploadContent(
  ctx: DocumentContext,
  id: string,
  source: AsyncIterable<Uint8Array>,
  announced: number | null,
): Promise<StoredDocument> {
  requireWriter(ctx)
  const before = await requireDocument(ctx, id)
  requireUploading(before)
  const { organizationId } = ctx.caller
  const written = await ctx.files.write(source, { organizationId, bytesMax: fileBytesMax, announced })
  try {
    return await inTransaction(ctx, async (inner) => {
      requireUploading(await requireDocument(inner, id, true))
      await addFile(inner, before.id, written)
      return requireDocument(inner, id)
    })
  } catch (error) {
    if (error instanceof Refusal) await ctx.files.discard(organizationId, written.id)
    throw error
  }
}

/** Deletes a document with its file. Its passages are found no more at once, and deleted by the queue. */
export function deleteDocument(ctx: RequestContext, id: string): Promise<string> {
  requireWriter(ctx)
  return inTransaction(ctx, async (inner) => {
    const found = await requireDocument(inner, id, true)
    await forgetDocument(inner.db, inner.caller.organizationId, found, inner.clock.now())
    return found.id
  })
}

export async function forgetDocument(
  db: RequestContext['db'],
  organizationId: string,
  { id, fileId }: { readonly id: string; readonly fileId: string | null },
  now: Date,
): Promise<void> {
  await db.query(
    'update assistant.document set deleted_at = $3, file_id = null where organization_id = $1 and id = $2',
    [organizationId, id, now.toISOString()],
    'WRITE',
  )
  if (fileId) await releaseFile(db, organizationId, fileId, now)
  await queueRun(db, organizationId, id)
}
