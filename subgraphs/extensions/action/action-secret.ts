import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

/** The place that the signing secret of an action is sealed for. */
export const actionSecretPlace = (organizationId: string, id: string): string =>
  `extensions.custom_action/${organizationId}/${id}/secret`

export const sealedActionSecrets: SealedColumn = {
  table: 'extensions.custom_action',
  column: 'sealed_secret',
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row: Row) => actionSecretPlace(String(row.organization_id), String(row.id)),
}
