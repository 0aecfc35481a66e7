import { account } from '../builders.ts'
import type { Sender } from './sender.ts'

const content = Buffer.from('# Delivery\nWe deliver within five days.\n').toString('base64')

export const documentBodies = {
  async knowledgeDocumentCreate(requests: Sender, whole: boolean) {
    if (!whole) return { name: 'Terms.md', content, isShared: true }
    const recordId = (await account(requests.member)).id as string
    return { name: 'Terms.md', format: 'MARKDOWN', recordType: 'ACCOUNT', recordId, isShared: false, content }
  },
}

export const documentPreparations = {
  /** A document with this id whose file has not arrived. */
  async knowledgeDocumentUpload({ platform, member }: Sender, id: string): Promise<void> {
    await platform.query(
      `insert into assistant.document (organization_id, id, owner_id, name, format, status, is_shared, created_at, updated_at)
       values ($1, $2, $3, 'Terms.md', 'MARKDOWN', 'UPLOADING', true, now(), now())
       on conflict (organization_id, id) do update set status = 'UPLOADING', file_id = null`,
      [member.organizationId, id, member.userId],
    )
  },
}

export const documentCredentials = {
  knowledgeDocumentUpload: ({ member }: Sender) =>
    Promise.resolve({ ...member.headers, 'Content-Type': 'application/octet-stream' }),
}
