import { Readable } from 'node:stream'
import { keepFile } from '../../subgraphs/kernel/file/file-store.ts'
import type { Sender } from './sender.ts'

/** Gives the file of the path its bytes. */
async function withContent({ platform, member: { organizationId } }: Sender, id: string): Promise<void> {
  const { files, tenants } = platform.services
  const { id: contentId } = await files.write(Readable.from([Buffer.from('Minutes')]), {
    organizationId,
    bytesMax: 100,
  })
  await keepFile(tenants.of(organizationId), organizationId, contentId)
  await platform.query(
    `update crm.file set status = 'READY', content_id = $3, content_type = 'text/plain', size = 7, sha256 = $4
     where organization_id = $1 and id = $2`,
    [organizationId, id, contentId, '0'.repeat(64)],
  )
}

async function withoutContent({ platform, member: { organizationId } }: Sender, id: string): Promise<void> {
  await platform.query(
    `update crm.file set status = 'UPLOADING', content_id = null where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
}

/** A file of the member with its bytes. */
export async function readyFile(sender: Sender): Promise<string> {
  const { body } = await sender.member.rest.fileCreate!({ body: { name: 'Minutes.txt' } })
  await withContent(sender, String(body.id))
  return String(body.id)
}

const part = Buffer.from('Minutes of the meeting in hall 3.')

export const fileBodies = { filePartUpload: () => Promise.resolve(part) }

/** Begins the upload of the file of the path in one part. */
async function withUpload(sender: Sender, id: string): Promise<void> {
  await withoutContent(sender, id)
  const { platform, member } = sender
  const { files, tenants } = platform.services
  const reservationId = await files.reserveBytes(tenants.of(member.organizationId), member.organizationId, part.length)
  await platform.query('delete from crm.file_part where organization_id = $1 and file_id = $2', [
    member.organizationId,
    id,
  ])
  await platform.query(
    `insert into crm.file_upload (organization_id, file_id, reservation_id, size, part_size, created_at)
     values ($1, $2, $3, $4, 8388608, now()) on conflict (organization_id, file_id) do nothing`,
    [member.organizationId, id, reservationId, part.length],
  )
}

/** An upload whose parts have all arrived. */
async function withParts(sender: Sender, id: string): Promise<void> {
  await withUpload(sender, id)
  const { platform, member } = sender
  const { files, tenants } = platform.services
  const { organizationId } = member
  const written = await files.write(Readable.from([part]), { organizationId, bytesMax: 100, isReserved: true })
  await keepFile(tenants.of(organizationId), organizationId, written.id)
  await platform.query(
    `insert into crm.file_part (organization_id, file_id, part, content_id, sha256) values ($1, $2, 1, $3, $4)`,
    [organizationId, id, written.id, written.sha256],
  )
}

export const filePreparations = {
  fileDownload: withContent,
  fileDownloadLink: withContent,
  fileUpload: withoutContent,
  fileUploadBegin: withoutContent,
  fileUploadProgress: withUpload,
  filePartUpload: withUpload,
  fileUploadComplete: withParts,
}
