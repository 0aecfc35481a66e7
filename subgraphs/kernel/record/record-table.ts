// Parts of the migrations that make the tables of records. A step that has run is never edited, and these are part of it: what
// later records need otherwise is another function.

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

/** What every list of records is paged by. `name` begins the names of the indexes. */
export const recordIndexes = (table: string, name: string): string => `
    create index ${name}_created on ${table} (organization_id, created_at, id) where deleted_at is null;
    create index ${name}_updated on ${table} (organization_id, updated_at, id) where deleted_at is null;
    create index ${name}_deleted on ${table} (organization_id, deleted_at, id) where deleted_at is not null;`

/** Keeps the totals of lists without a filter, of a record by its `objectName`, in the transaction of every change. */
export const maintainedCountTriggers = (table: string, object: string): string => `
    create trigger ${object}_total_insert after insert on ${table} referencing new table as new_rows
      for each statement execute function kernel.keep_total_of_inserted('${object}');
    create trigger ${object}_total_update after update on ${table} referencing old table as old_rows new table as new_rows
      for each statement execute function kernel.keep_total_of_updated('${object}');
    create trigger ${object}_total_delete after delete on ${table} referencing old table as old_rows
      for each statement execute function kernel.keep_total_of_deleted('${object}');`
