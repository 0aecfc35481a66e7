import { hash } from 'node:crypto'
import { invalid, notFound, Refusal } from '../../../kernel/errors.ts'
import { keepFile, type FileStore } from '../../../kernel/file/file-store.ts'
import type { SentPart } from '../../../kernel/file/sent-files.ts'
import { pureCall, transactionWithExternalCalls } from '../../../kernel/outbound/external-call.ts'
import { requireRecord } from '../../../kernel/record/read.ts'
import { requireWritableRole } from '../../../kernel/record/save.ts'
import { refusalInSituation } from '../../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { finishFile, requireUploading, type FileContext } from '../file.actions.ts'
import { file } from '../file.record.ts'
import type { File } from '../file.ts'
import { writeSniffed, type WrittenContent } from '../write-sniffed.ts'
import { partBytes, type FileUpload } from './file-upload.ts'
import {
  deleteParts,
  bytesOfPart,
  endUpload,
  findUpload,
  partCountOf,
  requireUpload,
  shownUpload,
  type StoredUpload,
} from './stored-upload.ts'

/** Begins the upload of a file in parts, and reserves its bytes. Repeated with the same size, it returns the upload that has begun; with another one, it begins anew if no part has arrived. */
export function beginUpload(ctx: FileContext, id: string, size: number): Promise<FileUpload> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const { id: fileId, status } = await requireRecord(inner, file, id, { isLocked: true })
    requireUploading({ status })
    const { organizationId } = inner.caller
    const begun = await findUpload(inner.db, organizationId, fileId)
    if (begun?.size === size) return shownUpload(begun)
    if (begun && begun.parts.length > 0)
      throw refusalInSituation(`Parts of a file of ${begun.size} bytes have arrived; add another file for other bytes.`)
    if (begun) await endUpload(inner, fileId)
    const reservationId = await ctx.files.reserveBytes(inner.db, organizationId, size)
    await inner.db.query(
      `insert into crm.file_upload (organization_id, file_id, reservation_id, size, part_size, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [organizationId, fileId, reservationId, size, partBytes, inner.clock.now().toISOString()],
      'WRITE',
    )
    return shownUpload({ fileId, reservationId, size, partSize: partBytes, parts: [] })
  })
}

/** How far the upload of a file that the caller sees is. */
export async function readUpload(ctx: RequestContext, id: string): Promise<FileUpload> {
  const found = await requireRecord(ctx, file, id)
  return shownUpload(await requireUpload(ctx, found.id))
}

const digestProblem = () =>
  invalid({
    path: 'Content-Digest',
    code: 'NOT_EQUAL',
    message: 'The bytes that arrived have another SHA-256 than Content-Digest; send the part again.',
  })

const lengthProblem = (part: number, bytes: number) =>
  invalid({ path: 'Content-Length', code: 'OUT_OF_RANGE', message: `Part ${part} must have ${bytes} bytes.` })

/** Takes one part. The same bytes again change nothing; other bytes are refused. */
export async function receivePart(
  ctx: FileContext,
  id: string,
  part: number,
  { source, announced, sha256 }: SentPart,
): Promise<FileUpload> {
  requireWritableRole(ctx)
  const found = await requireRecord(ctx, file, id)
  requireUploading(found)
  const upload = await requireUpload(ctx, found.id)
  const bytes = bytesOfPart(upload, part)
  if (bytes === null) throw notFound('The part')
  if (announced !== null && announced !== bytes) throw lengthProblem(part, bytes)
  const { organizationId } = ctx.caller
  const lostId = await lostContentOf(ctx, upload, part)
  const written = await ctx.files.write(source, { organizationId, bytesMax: bytes, isReserved: true })
  let isKept = false
  try {
    if (written.bytes !== bytes) throw lengthProblem(part, bytes)
    if (sha256 !== null && Buffer.from(written.sha256, 'hex').toString('base64') !== sha256) throw digestProblem()
    const stored = await inTransaction(ctx, async (inner) => {
      const isNew = await storePart(inner, upload, part, written, lostId)
      return { isNew, upload: shownUpload(await requireUpload(inner, found.id)) }
    })
    isKept = stored.isNew
    return stored.upload
  } finally {
    if (!isKept) await ctx.files.discard(organizationId, written.id)
  }
}

/** The id of the bytes that a part should have, if they are gone; a store of another machine is not asked while a transaction is open. */
async function lostContentOf(
  { files, caller: { organizationId } }: FileContext,
  { parts }: StoredUpload,
  part: number,
): Promise<string | null> {
  const known = parts.find((each) => each.part === part)
  return known && !(await files.has(organizationId, known.contentId)) ? known.contentId : null
}

/** Gives a part its bytes. False if it has the same ones already. */
async function storePart(
  { db, caller: { organizationId } }: RequestContext,
  { fileId, reservationId }: StoredUpload,
  part: number,
  { id: contentId, sha256 }: { readonly id: string; readonly sha256: string },
  lostId: string | null,
): Promise<boolean> {
  // The upload cannot end before the part belongs to it.
  const [open] = await db.query(
    'select 1 from crm.file_upload where organization_id = $1 and file_id = $2 and reservation_id = $3 for update',
    [organizationId, fileId, reservationId],
    'WRITE',
  )
  if (!open) throw notFound('The upload of the file in parts')
  const known = (await findUpload(db, organizationId, fileId))!.parts.find((each) => each.part === part)
  if (known && known.contentId !== lostId) {
    if (known.sha256 === sha256) return false
    throw refusalInSituation(`Part ${part} has arrived with other bytes; add another file for other bytes.`)
  }
  await keepFile(db, organizationId, contentId)
  await db.query(
    `insert into crm.file_part (organization_id, file_id, part, content_id, sha256) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, file_id, part) do update set content_id = excluded.content_id, sha256 = excluded.sha256`,
    [organizationId, fileId, part, contentId, sha256],
    'WRITE',
  )
  return true
}

/** The bytes of all parts, in their order. */
async function* bytesOf(files: FileStore, organizationId: string, { parts }: StoredUpload): AsyncGenerator<Uint8Array> {
  for (const { part, contentId } of parts) {
    if (!(await files.has(organizationId, contentId)))
      throw refusalInSituation(`Part ${part} is not there any more; send it again.`)
    yield* await files.read(organizationId, contentId)
  }
}

function requireWhole(upload: StoredUpload): void {
  const arrived = new Set(upload.parts.map(({ part }) => part))
  const missing = Array.from({ length: partCountOf(upload) }, (_, index) => index + 1).filter(
    (part) => !arrived.has(part),
  )
  if (missing.length > 0) throw refusalInSituation(`Parts that have not arrived: ${missing.join(', ')}.`)
}

/** Makes the file of its parts: it is READY. Nothing is lost if it fails; it can be called again. */
export async function completeUpload(ctx: FileContext, id: string): Promise<File> {
  requireWritableRole(ctx)
  const { organizationId } = ctx.caller
  let content: WrittenContent | null = null
  let parts: readonly string[] = []
  let completed: File
  try {
    completed = await transactionWithExternalCalls(ctx, async (inner) => {
      const found = await requireRecord(inner, file, id)
      requireUploading(found)
      const upload = await requireUpload(inner, found.id)
      requireWhole(upload)
      const { size } = upload
      const key = `parts ${hash('sha256', upload.parts.map((part) => part.contentId).join(' '))}`
      // A dry run measures the bytes.
      content = await pureCall(
        inner,
        key,
        async () => () =>
          writeSniffed(ctx.files, bytesOf(ctx.files, organizationId, upload), {
            organizationId,
            bytesMax: size,
            isReserved: true,
          }),
      )
      await keepFile(inner.db, organizationId, content.contentId, size)
      parts = await endUpload(inner, found.id)
      return finishFile(inner, id, content)
    })
  } catch (error) {
    if (content && error instanceof Refusal)
      await ctx.files.discard(organizationId, (content as WrittenContent).contentId)
    throw error
  }
  await deleteParts(ctx, parts)
  return completed
}
