// SQL that migrations of record tables include. Never edit it, because a migration that has run must not change; add another
// constant or function when a later table needs different SQL.

/** The columns of `OrgRecord`. */
export const recordColumns = `
      id uuid not null,
      organization_id uuid not null,
      owner_id uuid,
      external_id text,
      tags text[] not null default '{}',
      metadata jsonb,
      custom_fields jsonb not null,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id)`

/** The indexes for paging through lists. `name` is the prefix of the index names. */
export const recordIndexes = (table: string, name: string): string => `
    create index ${name}_created on ${table} (organization_id, created_at, id) where deleted_at is null;
    create index ${name}_updated on ${table} (organization_id, updated_at, id) where deleted_at is null;
    create index ${name}_deleted on ${table} (organization_id, deleted_at, id) where deleted_at is not null;`

/** Triggers that maintain the row count of a record type in the transaction of each change. `object` is the name of the record type. */
export const maintainedCountTriggers = (table: string, object: string): string => `
    create trigger ${object}_total_insert after insert on ${table} referencing new table as new_rows
      for each statement execute function kernel.keep_total_of_inserted('${object}');
    create trigger ${object}_total_update after update on ${table} referencing old table as old_rows new table as new_rows
      for each statement execute function kernel.keep_total_of_updated('${object}');
    create trigger ${object}_total_delete after delete on ${table} referencing old table as old_rows
      for each statement execute function kernel.keep_total_of_deleted('${object}');`
