import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const customEventTypeTable: Migration = {
  name: '20261122-events-custom-event-type',
  sql: `
    create table events.custom_event_type (${recordColumns},
      api_name text not null,
      label text not null,
      description text,
      schema jsonb not null,
      schema_version integer not null,
      publish_access text not null
    );
    ${listIndexes('events.custom_event_type', 'custom_event_type', ['api_name'])}
    create unique index custom_event_type_api_name on events.custom_event_type (organization_id, api_name) where deleted_at is null;

    -- Every version of the schema of a type, so that events of former versions can still be understood.
    create table events.custom_event_schema (
      organization_id uuid not null references identity.organization,
      api_name text not null,
      version integer not null,
      label text not null,
      description text,
      schema jsonb not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, api_name, version)
    );
  `,
}

export const customEventTypeManagedBy: Migration = {
  name: '20261230-events-custom-event-type-managed-by',
  sql: 'alter table events.custom_event_type add column managed_by text;',
}
