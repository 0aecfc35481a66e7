import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const customObjectTable: Migration = {
  name: '20261130-extensions-custom-object',
  sql: `
    create table extensions.custom_object (${recordColumns},
      name text not null,
      label text not null,
      plural_label text,
      description text,
      name_field text
    );
    ${listIndexes('extensions.custom_object', 'custom_object', ['name'])}
    -- The records of a deleted object are kept, so its name stays taken.
    create unique index custom_object_name on extensions.custom_object (organization_id, name);
  `,
}
