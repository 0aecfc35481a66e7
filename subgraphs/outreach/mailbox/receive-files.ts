import type { ImapFlow } from 'imapflow'
import { receivedRoom, writeReceived, type ReceivedFile } from '../../crm/public.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import type { EmailAttachment } from '../email/email.ts'
import { filePartsOf, type FilePart } from './file-parts.ts'
import type { Mailbox } from './mailbox.ts'
import { attachmentsMax, storableName } from './parse-mail.ts'

/** What is kept of the files of one mail. The others are described only. */
const [filesMax, fileBytesMax, bytesMax] = [20, 26_214_400, 52_428_800]
/** What a file of this size has at most when it is encoded in a mail. */
const encodedBytesMax = fileBytesMax * 1.5
const chunkBytes = 262_144

/** The files of a mail, which have no owner until `keepReceived`, and the description of all of its attachments. */
export interface ReceivedFiles {
  readonly files: readonly ReceivedFile[]
  readonly attachments: readonly EmailAttachment[]
}

/** Reads the files of a mail from its server in parts, so that none is in memory as a whole. */
export async function receiveFiles(
  services: Services,
  ctx: RequestContext,
  client: ImapFlow,
  box: Mailbox,
  uid: number,
): Promise<ReceivedFiles> {
  const fetched = await client.fetchOne(String(uid), { bodyStructure: true }, { uid: true })
  const parts = fetched && fetched.bodyStructure ? filePartsOf(fetched.bodyStructure, attachmentsMax) : []
  const files: ReceivedFile[] = []
  const attachments: EmailAttachment[] = []
  const room = await receivedRoom(ctx, services.files)
  let left = Math.min(bytesMax, room.bytes)
  const isWanted = ({ bytes, encodedBytes }: FilePart): boolean =>
    files.length < Math.min(filesMax, room.files) &&
    bytes <= Math.min(left, fileBytesMax) &&
    encodedBytes <= encodedBytesMax
  try {
    for (const part of parts) {
      const name = storableName(part.name) || 'attachment'
      const file = isWanted(part) ? await receiveFile(services, client, box, uid, part, name, left) : null
      if (file) {
        files.push(file)
        left -= file.size
      }
      const { size, contentType } = file ?? { size: part.bytes, contentType: storableName(part.contentType) }
      attachments.push({ filename: name, contentType, size, fileId: file?.id ?? null })
    }
  } catch (error) {
    await discardFiles(services, box, files)
    throw error
  }
  return { files, attachments }
}

async function receiveFile(
  services: Services,
  client: ImapFlow,
  { organizationId }: Mailbox,
  uid: number,
  { part }: FilePart,
  name: string,
  left: number,
): Promise<ReceivedFile | null> {
  // The bytes stay as they are, also those of a text in another character set.
  const options = { uid: true, chunkSize: chunkBytes, maxBytes: encodedBytesMax, decodeText: false }
  const download = await client.download(String(uid), part, options)
  if (!('content' in download) || !download.content) return null
  const bounds = { organizationId, bytesMax: Math.min(left, fileBytesMax) }
  const content = await writeReceived(services, download.content, bounds).finally(() => download.content.destroy())
  return content && { id: newId(), name, ...content }
}

/** Deletes files that no mail gets. */
export async function discardFiles(
  { files: store }: Pick<Services, 'files'>,
  { organizationId }: Pick<Mailbox, 'organizationId'>,
  files: readonly ReceivedFile[],
): Promise<void> {
  for (const { contentId } of files) await store.discard(organizationId, contentId)
}
