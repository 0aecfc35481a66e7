import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'
import { sealedSigningColumns, signingSecretPlace } from '../../kernel/secrets/signing-secret.ts'

const table = 'events.webhook'

/** The place that both secrets of a webhook are sealed for. */
export const secretPlace = signingSecretPlace(table)

export const headersPlace = (organizationId: string, id: string): string =>
  `events.webhook/${organizationId}/${id}/headers`

export const sealedWebhookColumns: readonly SealedColumn[] = [
  ...sealedSigningColumns(table),
  {
    table,
    column: 'sealed_headers',
    key: ['organization_id', 'id'],
    organization: 'organization_id',
    place: (row: Row) => headersPlace(String(row.organization_id), String(row.id)),
  },
]
