import { randomBytes } from 'node:crypto'
import type { Row } from '../../kernel/database/sql.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

/** A signing secret in the format of Standard Webhooks: the prefix and 32 random bytes in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The place that both secrets of a webhook are sealed for. It has no column, because a rotation moves a secret to the other column. */
export const secretPlace = (organizationId: string, id: string): string =>
  `events.webhook/${organizationId}/${id}/secret`

export const headersPlace = (organizationId: string, id: string): string =>
  `events.webhook/${organizationId}/${id}/headers`

const sealed = (column: string, place: typeof secretPlace): SealedColumn => ({
  table: 'events.webhook',
  column,
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row: Row) => place(String(row.organization_id), String(row.id)),
})

export const sealedWebhookColumns: readonly SealedColumn[] = [
  sealed('sealed_secret', secretPlace),
  sealed('sealed_previous_secret', secretPlace),
  sealed('sealed_headers', headersPlace),
]
