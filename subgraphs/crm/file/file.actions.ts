import { Refusal } from '../../kernel/errors.ts'
import { keepFile } from '../../kernel/file/file-store.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { mediaTypeOf, sniffedBytes } from './content-type.ts'
import { file } from './file.record.ts'
import type { File } from './file.ts'

export const fileBytesMax = 104_857_600

export type FileContext = RequestContext<'files'>

/** Passes the bytes on, and keeps the first ones. */
class Beginning {
  readonly #parts: Uint8Array[] = []
  #length = 0

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (this.#length < sniffedBytes) {
        const part = Buffer.from(chunk.subarray(0, sniffedBytes - this.#length))
        this.#parts.push(part)
        this.#length += part.length
      }
      yield chunk
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

function requireUploading({ status }: File): void {
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
  const beginning = new Beginning()
  const written = await ctx.files.write(beginning.of(source), { organizationId, bytesMax: fileBytesMax, announced })
  const { id: contentId, bytes: size, sha256 } = written
  const contentType = mediaTypeOf(beginning.bytes())
  try {
    return await inTransaction(ctx, async (inner) => {
      await keepFile(inner.db, organizationId, contentId)
      return change(inner, file, id, (previous) => {
        requireUploading(previous)
        const implied = { status: 'READY', contentId, contentType, size, sha256 } as const
        return { operation: 'UPDATE', values: {}, implied, events: ['file.uploaded'], isEventReplaced: true }
      })
    })
  } catch (error) {
    if (error instanceof Refusal) await ctx.files.discard(organizationId, contentId)
    throw error
  }
}

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
