import { randomBytes } from 'node:crypto'
import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

export const newHookToken = (): string => randomBytes(32).toString('base64url')

export const secretPlace = (organizationId: string, id: string): string =>
  `extensions.workflow/${organizationId}/${id}/secret`

export const sealedWorkflowColumns: readonly SealedColumn[] = [
  {
    table: 'extensions.workflow',
    column: 'sealed_secret',
    key: ['organization_id', 'id'],
    organization: 'organization_id',
    place: (row: Row) => secretPlace(String(row['organization_id']), String(row['id'])),
  },
]
