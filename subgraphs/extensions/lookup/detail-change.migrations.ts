import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { detailTable } from '../../kernel/record/lookup/detail-fields.ts'

/** What `detailChangeQueue` says of its table. */
export const detailChange = {
  name: 'detail_change',
  table: detailTable,
  shares: { organization: 'organization_id', key: 'record_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** One row for each record that was deleted or restored with too many details for its transaction, which writes it. */
export const detailChangeTable: Migration = {
  name: '20261214-extensions-detail-change',
  sql: `
    create table ${detailTable} (
      organization_id uuid not null,
      id uuid not null,
      -- The record type and the id of the master.
      object text not null,
      record_id uuid not null,
      -- DELETE or RESTORE.
      operation text not null,
      -- Who changed the master; null for the platform.
      requested_by_id uuid,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(detailChange)}
  `,
}
