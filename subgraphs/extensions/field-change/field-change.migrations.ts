import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** What `fieldChangeQueue` says of its table: a change and its item of the queue are one row. */
export const fieldChangeTable = {
  name: 'field_change',
  table: 'extensions.field_change',
  shares: { organization: 'organization_id', key: 'field_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

export const fieldChangeTables: Migration = {
  name: '20261130-extensions-field-change',
  sql: `
    alter table extensions.field_definition
      add column state text not null default 'READY',
      add column progress jsonb;

    create table ${fieldChangeTable.table} (
      organization_id uuid not null,
      id uuid not null,
      field_id uuid not null,
      kind text not null,
      parameters jsonb not null,
      -- Null for what the platform itself began.
      requested_by_id uuid,
      -- The id of the last record that is done.
      cursor uuid,
      -- Records of the type when the first batch began; null before.
      total integer,
      processed integer not null default 0,
      -- The values that do not allow the change, each with the id of its record.
      failures jsonb not null default '[]',
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(fieldChangeTable)}
    create index field_change_field on ${fieldChangeTable.table} (organization_id, field_id, id);
    create index field_definition_deleted_at on extensions.field_definition (deleted_at) where deleted_at is not null;
  `,
}

export const typeChangeColumns: Migration = {
  name: '20261130-extensions-field-definition-pending',
  sql: `
    alter table extensions.field_definition
      -- What the definition is to become when the values of records have been checked.
      add column pending_type text,
      add column pending jsonb,
      add column aliases jsonb not null default '[]';
  `,
}

export const trackHistoryColumn: Migration = {
  name: '20261130-extensions-field-definition-track-history',
  sql: 'alter table extensions.field_definition add column track_history boolean not null default false;',
}
