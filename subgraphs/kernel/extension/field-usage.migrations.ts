import type { Migration } from '../database/migrate.ts'

/** When credentials named custom fields last, in requests: one row for each credential and field. */
export const fieldUsageTable: Migration = {
  name: '20261224-kernel-field-usage',
  sql: `
    create table kernel.field_usage (
      organization_id uuid not null,
      object text not null,
      field text not null,
      credential_kind text not null,
      credential_id uuid not null,
      used_on date not null,
      primary key (organization_id, object, field, credential_kind, credential_id)
    );
    create index field_usage_by_day on kernel.field_usage (used_on);
  `,
}

/** In which queries, newest first: their names, as `queryName` of the operation. */
export const fieldUsageQueries: Migration = {
  name: '20270101-kernel-field-usage-queries',
  sql: `alter table kernel.field_usage add column queries text[] not null default '{}';`,
}
