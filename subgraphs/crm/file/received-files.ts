import { Refusal } from '../../kernel/errors.ts'
import { keepFile, type FileStore } from '../../kernel/file/file-store.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { file } from './file.record.ts'
import { writeSniffed, type WrittenContent } from './write-sniffed.ts'

/** Files of mails that an organization has at most, and the part of its budget that they may use: others can send it mails. */
export const receivedFilesMax = 50_000
const receivedPart = 0.5

/** How many files of mails, and how many bytes of them, an organization may still get. */
export interface ReceivedRoom {
  readonly files: number
  readonly bytes: number
}

export async function receivedRoom({ db, caller }: RequestContext, files: FileStore): Promise<ReceivedRoom> {
  const [kept] = await db.query<{ files: number; bytes: number }>(
    `select count(*)::int as files, coalesce(sum(size), 0)::int8 as bytes from crm.file
     where organization_id = $1 and related_to_type = 'EMAIL' and content_id is not null`,
    [caller.organizationId],
  )
  const bytesMax = files.bytesMax === null ? Infinity : files.bytesMax * receivedPart
  return { files: receivedFilesMax - kept!.files, bytes: bytesMax - kept!.bytes }
}

/** A file of a received mail, whose bytes are on the disk. */
export interface ReceivedFile extends WrittenContent {
  /** The id that the file will have. */
  readonly id: string
  readonly name: string
}

/** Writes the bytes of a received file; null if it is larger than `bytesMax`, or if the organization has no room. */
export async function writeReceived(
  { files }: Pick<Services, 'files'>,
  source: AsyncIterable<Uint8Array>,
  { organizationId, bytesMax }: { readonly organizationId: string; readonly bytesMax: number },
): Promise<WrittenContent | null> {
  try {
    return await writeSniffed(files, source, { organizationId, bytesMax })
  } catch (error) {
    const isRefused = error instanceof Refusal && ['PAYLOAD_TOO_LARGE', 'STORAGE_LIMIT_EXCEEDED'].includes(error.code)
    if (isRefused) return null
    throw error
  }
}

/** Attaches the files to a mail, in the transaction that stores the mail. */
export async function keepReceived(
  ctx: RequestContext,
  mail: { readonly id: string; readonly ownerId: string | null },
  received: readonly ReceivedFile[],
): Promise<void> {
  for (const { id, name, ...content } of received) {
    await keepFile(ctx.db, ctx.caller.organizationId, content.contentId)
    const related = { relatedToType: 'EMAIL', relatedToId: mail.id } as const
    await save(ctx, file, {
      operation: 'CREATE',
      previous: null,
      values: {},
      implied: { id, name, status: 'READY', ownerId: mail.ownerId, ...related, ...content },
    })
  }
}
