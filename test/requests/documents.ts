import { account } from '../builders.ts'
import type { Sender } from './sender.ts'

const content = Buffer.from('# Delivery\nWe deliver within five days.\n').toString('base64')

/** Documents are about an account of the member, so that others see them as they see its records. */
export const documentBodies = {
  async knowledgeDocumentCreate({ member }: Sender, whole: boolean) {
    const recordId = (await account(member)).id as string
    const body = { name: 'Terms.md', recordType: 'ACCOUNT', recordId, content }
    return whole ? { ...body, format: 'MARKDOWN', isShared: false } : body
  },
}

export const documentPreparations = {
  /** A document with this id whose file has not arrived. */
  async knowledgeDocumentUpload({ platform, member }: Sender, id: string): Promise<void> {
    const recordId = (await account(member)).id as string
    await platform.query(
      `insert into assistant.document (organization_id, id, owner_id, name, format, status, record_type, record_id, is_shared, created_at, updated_at)
       values ($1, $2, $3, 'Terms.md', 'MARKDOWN', 'UPLOADING', 'ACCOUNT', $4, false, now(), now())
       on conflict (organization_id, id) do update set status = 'UPLOADING', file_id = null`,
      [member.organizationId, id, member.userId, recordId],
    )
  },
}

const sendingBytes = ({ member }: Sender) =>
  Promise.resolve({ ...member.headers, 'Content-Type': 'application/octet-stream' })

export const documentCredentials = {
  knowledgeDocumentUpload: sendingBytes,
  fileUpload: sendingBytes,
  filePartUpload: sendingBytes,
}
