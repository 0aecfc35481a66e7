import type { Migration } from '../../kernel/database/migrate.ts'
import { maintainedTotals, recordColumns } from '../../kernel/record/record-table.ts'

const liveIndex = (name: string, column: string): string =>
  `create index custom_record_${name} on extensions.custom_record (organization_id, object, ${column}) where deleted_at is null;`

/** Records that were deleted with the record of which they are details, or with one above it. */
export const deletedWithColumn: Migration = {
  name: '20261214-extensions-custom-record-deleted-with',
  sql: `
    alter table extensions.custom_record add column deleted_with_id uuid;
    create index custom_record_deleted_with on extensions.custom_record (organization_id, deleted_with_id, object, id)
      where deleted_with_id is not null;
  `,
}

/** One table for the records of all custom objects: its indexes begin with the organization and the object. */
export const customRecordTable: Migration = {
  name: '20261130-extensions-custom-record',
  sql: `
    create table extensions.custom_record (${recordColumns},
      object text not null,
      name text,
      search_text text not null generated always as (kernel.search_text(' ' || coalesce(name, ''))) stored
    );
    ${liveIndex('created', 'created_at, id')}
    ${['updated_at', 'external_id', 'owner_id', 'name'].map((column) => liveIndex(`by_${column}`, `${column}, created_at, id`)).join('\n    ')}
    create index custom_record_deleted on extensions.custom_record (organization_id, object, deleted_at, id) where deleted_at is not null;
    create index custom_record_search on extensions.custom_record using gin
      (organization_id, object, search_text gin_trgm_ops, tags, custom_fields jsonb_path_ops) where deleted_at is null;
    ${maintainedTotals('extensions.custom_record', { by: ['object'] })}
  `,
}
