import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

export type MailServer = 'smtp' | 'imap'

/** The place that the password of a server is sealed for. */
export const passwordPlace = (server: MailServer, organizationId: string, id: string): string =>
  `outreach.mailbox/${organizationId}/${id}/${server}`

const sealed = (server: MailServer): SealedColumn => ({
  table: 'outreach.mailbox',
  column: `sealed_${server}_password`,
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row: Row) => passwordPlace(server, String(row.organization_id), String(row.id)),
})

export const sealedMailboxColumns: readonly SealedColumn[] = [sealed('smtp'), sealed('imap')]
