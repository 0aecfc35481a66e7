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

export const filePreparations = {
  fileDownload: withContent,
  fileDownloadLink: withContent,
  async fileUpload({ platform, member: { organizationId } }: Sender, id: string): Promise<void> {
    await platform.query(
      `update crm.file set status = 'UPLOADING', content_id = null where organization_id = $1 and id = $2`,
      [organizationId, id],
    )
  },
}
