import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { clearingTable } from '../../kernel/record/lookup/deleted-targets.ts'

/** What `lookupClearingQueue` says of its table. */
export const lookupClearing = {
  name: 'lookup_clearing',
  table: clearingTable,
  shares: { organization: 'organization_id', key: 'record_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** One row for each deleted record that too many records name to clear them in the transaction of the deletion, which writes it. */
export const lookupClearingTable: Migration = {
  name: '20261211-extensions-lookup-clearing',
  sql: `
    create table ${clearingTable} (
      organization_id uuid not null,
      id uuid not null,
      -- The record type and the id of the deleted record.
      object text not null,
      record_id uuid not null,
      -- Who deleted it; null for the platform.
      requested_by_id uuid,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(lookupClearing)}
  `,
}
