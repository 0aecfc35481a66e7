import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns, uniqueExternalIds } from '../../kernel/record/record-table.ts'

export const layoutTable: Migration = {
  name: '20261215-extensions-layout',
  sql: `
    create table extensions.layout (${recordColumns},
      object_type text not null,
      profile text,
      name text not null,
      config jsonb not null
    );
    ${uniqueExternalIds(['extensions.layout'])}
    ${listIndexes('extensions.layout', 'layout', ['object_type', 'name'])}
    create unique index layout_profile on extensions.layout (organization_id, object_type, lower(coalesce(profile, '')))
      where deleted_at is null;
  `,
}
