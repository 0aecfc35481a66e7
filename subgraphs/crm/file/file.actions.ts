import { Refusal } from '../../kernel/errors.ts'
import { keepFile } from '../../kernel/file/file-store.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { file } from './file.record.ts'
import type { File } from './file.ts'
import { deleteParts, endUpload } from './upload/stored-upload.ts'
import { writeSniffed, type WrittenContent } from './write-sniffed.ts'

export const fileBytesMax = 104_857_600

export type FileContext = RequestContext<'files'>

export function requireUploading({ status }: Pick<File, 'status'>): void {
  if (status !== 'UPLOADING') throw refusalInSituation('The file has its bytes; add another file for other bytes.')
}

/** Takes the bytes of a file. The rights are checked before the first one is read. */
export async function uploadFile(
  ctx: FileContext,
  id: string,
  source: AsyncIterable<Uint8Array>,
  announced: number | null,
): Promise<File> {
  requireWritableRole(ctx)
  requireUploading(await requireRecord(ctx, file, id))
  const { organizationId } = ctx.caller
  const content = await writeSniffed(ctx.files, source, { organizationId, bytesMax: fileBytesMax, announced })
  const { contentId } = content
  let parts: readonly string[] = []
  let uploaded: File
  try {
    uploaded = await inTransaction(ctx, async (inner) => {
      await keepFile(inner.db, organizationId, contentId)
      parts = await endUpload(inner, id)
      return finishFile(inner, id, content)
    })
  } catch (error) {
    if (error instanceof Refusal) await ctx.files.discard(organizationId, contentId)
    throw error
  }
  await deleteParts(ctx, parts)
  return uploaded
}

/** Gives a file its bytes, which belong to it from then on: it is READY. */
export const finishFile = (ctx: RequestContext, id: string, content: WrittenContent): Promise<File> =>
  change(ctx, file, id, (previous) => {
    requireUploading(previous)
    const implied = { status: 'READY', ...content } as const
    return { operation: 'UPDATE', values: {}, implied, events: ['file.uploaded'], isEventReplaced: true }
  })

/** Restores a deleted file, unless its bytes are deleted. */
export const restoreFile = (ctx: RequestContext, id: string, expectedVersion?: number | null): Promise<File> =>
  change(
    ctx,
    file,
    id,
    ({ status, contentId }) => {
      if (status === 'READY' && contentId === null)
        throw refusalInSituation('The bytes of the file are deleted, seven days after the file; it cannot be restored.')
      return { operation: 'RESTORE', values: {} }
    },
    { expectedVersion, deleted: true },
  )
