import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { moveTable } from '../../kernel/record/merge/move-references.ts'

/** What `mergeMoveQueue` says of its table. */
export const mergeMove = {
  name: 'merge_move',
  table: moveTable,
  shares: { organization: 'organization_id', key: 'record_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** One row for each merge, written by its transaction: references to the merged records that it has not moved. */
export const mergeMoveTable: Migration = {
  name: '20261215-records-merge-move',
  sql: `
    create table ${moveTable} (
      organization_id uuid not null,
      id uuid not null,
      -- The record type, and the id of the record that stays.
      object text not null,
      record_id uuid not null,
      -- Who merged; null for the platform.
      requested_by_id uuid,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(mergeMove)}
  `,
}
