import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

/** The place that the secret of a credential is sealed for. */
export const secretPlace = (organizationId: string, id: string): string =>
  `extensions.named_credential/${organizationId}/${id}/secret`

export const tokenPlace = (organizationId: string, id: string): string =>
  `extensions.named_credential_token/${organizationId}/${id}/token`

export const sealedCredentialColumns: readonly SealedColumn[] = [
  {
    table: 'extensions.named_credential',
    column: 'sealed_secret',
    key: ['organization_id', 'id'],
    organization: 'organization_id',
    place: (row: Row) => secretPlace(String(row['organization_id']), String(row['id'])),
  },
  {
    table: 'extensions.named_credential_token',
    column: 'sealed_token',
    key: ['organization_id', 'credential_id'],
    organization: 'organization_id',
    place: (row: Row) => tokenPlace(String(row['organization_id']), String(row['credential_id'])),
  },
]
