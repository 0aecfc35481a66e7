import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns, uniqueExternalIds } from '../../kernel/record/record-table.ts'

export const pageTable: Migration = {
  name: '20261223-extensions-page',
  sql: `
    create table extensions.page (${recordColumns},
      api_name text not null,
      label text not null,
      description text,
      object_type text not null,
      record_type_field text,
      assignments jsonb not null default '[]',
      definition jsonb not null,
      names text[] not null default '{}'
    );
    ${uniqueExternalIds(['extensions.page'])}
    ${listIndexes('extensions.page', 'page', ['api_name', 'label', 'object_type'])}
    create unique index page_api_name on extensions.page (organization_id, api_name) where deleted_at is null;
  `,
}
