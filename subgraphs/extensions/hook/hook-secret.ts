import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

/** The place that the signing secret of a hook is sealed for. */
export const hookSecretPlace = (organizationId: string, id: string): string =>
  `extensions.before_save_hook/${organizationId}/${id}/secret`

export const sealedHookSecrets: SealedColumn = {
  table: 'extensions.before_save_hook',
  column: 'sealed_secret',
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row: Row) => hookSecretPlace(String(row.organization_id), String(row.id)),
}
