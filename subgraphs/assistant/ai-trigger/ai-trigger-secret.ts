import { randomBytes } from 'node:crypto'
import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

/** A signing secret in the format of those of webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const newInboundToken = (): string => randomBytes(32).toString('base64url')

/** The place that both secrets of a trigger are sealed for: a regeneration moves a secret to the other column. */
export const secretPlace = (organizationId: string, id: string): string =>
  `assistant.ai_trigger/${organizationId}/${id}/secret`

const sealed = (column: string): SealedColumn => ({
  table: 'assistant.ai_trigger',
  column,
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row: Row) => secretPlace(String(row['organization_id']), String(row['id'])),
})

export const sealedTriggerColumns: readonly SealedColumn[] = [sealed('sealed_secret'), sealed('sealed_previous_secret')]
