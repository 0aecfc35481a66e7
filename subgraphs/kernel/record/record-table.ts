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

/** The first indexes of the first three record types; later ones use `listIndexes`. `name` is the prefix of the index names. */
export const recordIndexes = (table: string, name: string): string => `
    create index ${name}_created on ${table} (organization_id, created_at, id) where deleted_at is null;
    create index ${name}_updated on ${table} (organization_id, updated_at, id) where deleted_at is null;
    create index ${name}_deleted on ${table} (organization_id, deleted_at, id) where deleted_at is not null;`

/** The first triggers that maintained row counts; later tables use `maintainedTotals`. `object` is the name of the record type. */
export const maintainedCountTriggers = (table: string, object: string): string => `
    create trigger ${object}_total_insert after insert on ${table} referencing new table as new_rows
      for each statement execute function kernel.keep_total_of_inserted('${object}');
    create trigger ${object}_total_update after update on ${table} referencing old table as old_rows new table as new_rows
      for each statement execute function kernel.keep_total_of_updated('${object}');
    create trigger ${object}_total_delete after delete on ${table} referencing old table as old_rows
      for each statement execute function kernel.keep_total_of_deleted('${object}');`

/**
 * One index per column, on the rows that are not deleted: it answers a filter by the column in the order of creation, and a sort by the
 * column. `indexed` of the columns in the record class says that it exists. `name` begins the names of the indexes.
 */
export const columnIndexes = (table: string, name: string, columns: readonly string[]): string =>
  columns
    .map(
      (column) =>
        `create index ${name}_by_${column} on ${table} (organization_id, ${column}, created_at, id) where deleted_at is null;`,
    )
    .join('\n    ')

/**
 * The index that answers equality with an email address in the order of creation (`email-equality.ts`), for a column with addresses as they were
 * entered.
 */
export const emailIndex = (table: string, name: string, column: string): string => `
    create index ${name}_by_${column}_form on ${table} (organization_id, lower(btrim(${column})), created_at, id) where deleted_at is null;`

/** The same for a column with a list of addresses. */
export const emailsIndex = (table: string, name: string, column: string): string => `
    create index ${name}_by_${column}_form on ${table} using gin (organization_id, kernel.compared_emails(${column})) where deleted_at is null;`

/** The day of a time in UTC, as an expression that an index may contain. */
export const dayOf = (time: string): string => `date_bin('1 day', ${time}, timestamptz '2000-01-01 00:00:00+00')`

/**
 * One index per column that answers a range of its values in the order of creation, days first: of each day it has the entries by value, so
 * PostgreSQL reads those in the range, day after day, until the page is full. `indexedByDay` of the columns says that it exists.
 */
export const dayIndexes = (table: string, name: string, columns: readonly string[]): string =>
  columns
    .map(
      (column) =>
        `create index ${name}_day_${column} on ${table} (organization_id, (${dayOf('created_at')}), ${column}, created_at, id) where deleted_at is null;`,
    )
    .join('\n    ')

/** The indexes of a new table of records: for `indexed` columns of `OrgRecord`, for these columns, and for the list of deleted records. */
export const listIndexes = (table: string, name: string, columns: readonly string[]): string => `
    create index ${name}_created on ${table} (organization_id, created_at, id) where deleted_at is null;
    create index ${name}_deleted on ${table} (organization_id, deleted_at, id) where deleted_at is not null;
    ${columnIndexes(table, name, ['updated_at', 'external_id', 'owner_id', ...columns])}`

/**
 * Replaces the indexes of creation and of these columns of a private type: they also have what decides who sees a record, so that records which are
 * counted, or skipped before a page, need not be read.
 */
export function privateIndexes(table: string, name: string, columns: readonly string[] = []): string {
  const replaced = (index: string, by: string): string => `
    drop index ${table.split('.')[0]}.${index};
    create index ${index} on ${table} (organization_id, ${by}) include (owner_id, is_shared) where deleted_at is null;`
  return [
    replaced(`${name}_created`, 'created_at, id'),
    ...columns.map((column) => replaced(`${name}_by_${column}`, `${column}, created_at, id`)),
  ].join('')
}

/**
 * The search text of the columns, and the index that answers `search`, `contains` on these columns, filters by tags, and custom fields
 * that must have a value.
 */
export const searchIndex = (table: string, name: string, columns: readonly string[]): string => `
    alter table ${table} add column search_text text not null generated always as (kernel.search_text(
      ${columns.map((column) => `' ' || coalesce(${column}, '')`).join(' || ')})) stored;
    create index ${name}_search on ${table} using gin
      (organization_id, search_text gin_trgm_ops, tags, custom_fields jsonb_path_ops) where deleted_at is null;`

/** The index that answers custom fields that must have a value, of a table without `searchIndex`. */
export const customFieldsIndex = (table: string, name: string): string =>
  `create index ${name}_custom_fields on ${table} using gin (organization_id, custom_fields jsonb_path_ops) where deleted_at is null;`

/** The columns of a table of totals; the names are columns of the record's table, the measures SQL expressions over them. */
export interface TotalsColumns {
  /** Columns with few values: there is one total for each combination of them. */
  readonly by: readonly string[]
  /** Columns with many values, each with totals of its own, and the number of rows with a value in `with_<column>`. */
  readonly separately?: readonly string[]
  /** What is summed up besides the number of rows, by the name of its column. */
  readonly measures?: Readonly<Record<string, string>>
  /** SQL condition of the rows that count; default: rows that are not deleted. */
  readonly counted?: string
}

/**
 * Creates the table `<table>_totals` with the totals of the rows that are not deleted, and the triggers that maintain it. Each
 * statement that changes rows appends the differences (kind `CHANGE`) in its transaction, so writers never wait for each other.
 * `mergeTotals` merges them into one row for each combination of `by` (`GROUP`), one for the organization (`TOTAL`), and one for each value
 * of a separate column (the kind is the name of the column).
 */
export function maintainedTotals(
  table: string,
  { by, separately = [], measures = {}, counted = 'deleted_at is null' }: TotalsColumns,
): string {
  const name = table.replaceAll('"', '')
  const totals = `${name}_totals`
  const summed: Readonly<Record<string, string>> = {
    ...measures,
    ...Object.fromEntries(separately.map((column) => [`with_${column}`, `(${column} is not null)::int`])),
  }
  const names = Object.keys(summed)
  const changing = ['organization_id', ...by, ...separately]
  const columns = [...changing, 'n', ...names].join(', ')
  const sums = (sign: string) => Object.values(summed).map((value) => `coalesce(${sign}sum(${value}), 0)`)
  const differences = (sign: string, from: string) => `
      insert into ${totals} (${columns})
      select ${[...changing, `${sign}count(*)`, ...sums(sign)].join(', ')} from ${from} where ${counted}
      group by ${changing.join(', ')};`
  const versions = (sign: string, from: string) =>
    `select ${[...changing, `${sign}1 as sign`, ...names.map((measure) => `${sign}(${summed[measure]}) as ${measure}`)].join(', ')}
        from ${from} where ${counted}`
  const changedSums = ['sum(sign)', ...names.map((measure) => `coalesce(sum(${measure}), 0)`)]
  const fill = (kind: string, grouping: readonly string[], sql: readonly string[], condition = '') => `
    insert into ${totals} (${['organization_id', 'kind', ...grouping, 'n', ...(sql.length > 1 ? names : [])].join(', ')})
    select ${['organization_id', `'${kind}'`, ...grouping, ...sql].join(', ')} from ${table} where ${counted}${condition}
    group by ${['organization_id', ...grouping].join(', ')};`
  return `
    create table ${totals} as
      select ${[...changing, "'CHANGE'::text as kind", 'count(*) as n', ...names.map((measure) => `sum(${summed[measure]}) as ${measure}`)].join(', ')}
      from ${table} group by ${changing.join(', ')} with no data;
    alter table ${totals}
      alter column organization_id set not null,
      alter column kind set not null, alter column kind set default 'CHANGE',
      alter column n set not null${names.map((measure) => `,\n      alter column ${measure} set not null, alter column ${measure} set default 0`).join('')};
    create index ${name.split('.')[1]!}_totals_kind on ${totals} (kind, organization_id);${separately
      .map(
        (column) => `
    create index ${name.split('.')[1]!}_totals_${column} on ${totals} (organization_id, ${column}) where kind = '${column}';
    create index ${name.split('.')[1]!}_totals_${column}_n on ${totals} (organization_id, n desc, ${column}) where kind = '${column}';`,
      )
      .join('')}

    create function ${totals}_insert() returns trigger language plpgsql as $$ begin${differences('', 'new_rows')}
      return null;
    end $$;
    create function ${totals}_delete() returns trigger language plpgsql as $$ begin${differences('-', 'old_rows')}
      return null;
    end $$;
    create function ${totals}_update() returns trigger language plpgsql as $$ begin
      insert into ${totals} (${columns})
      select ${[...changing, ...changedSums].join(', ')} from (
        ${versions('-', 'old_rows')}
        union all
        ${versions('', 'new_rows')}
      ) changes group by ${changing.join(', ')} having ${changedSums.map((sum) => `${sum} <> 0`).join(' or ')};
      return null;
    end $$;
    create trigger totals_insert after insert on ${table} referencing new table as new_rows
      for each statement execute function ${totals}_insert();
    create trigger totals_update after update on ${table} referencing old table as old_rows new table as new_rows
      for each statement execute function ${totals}_update();
    create trigger totals_delete after delete on ${table} referencing old table as old_rows
      for each statement execute function ${totals}_delete();
    ${fill('GROUP', by, ['count(*)', ...sums('')])}${fill('TOTAL', [], ['count(*)'])}${separately
      .map((column) => fill(column, [column], ['count(*)'], ` and ${column} is not null`))
      .join('')}`
}

/** Drops the triggers of `maintainedCountTriggers`. */
export const dropMaintainedCountTriggers = (table: string, object: string): string => `
    drop trigger ${object}_total_insert on ${table};
    drop trigger ${object}_total_update on ${table};
    drop trigger ${object}_total_delete on ${table};`

/** What begins the names of the indexes on unique external ids; `save` knows a conflict by it. */
export const uniqueExternalIdIndex = 'unique_external_id_'

/**
 * Makes the external id unique among the live records of an organization, in each of these tables; `objectColumn` names the record type where one
 * table stores several. A blank one is none. Of records that have the same one already, the oldest is in the index; the others keep it until they
 * change it (`shares_external_id`, `kernel.release_external_id`), and `operate external-ids` lists them.
 */
export const uniqueExternalIds = (tables: readonly string[], objectColumn?: string): string =>
  tables
    .map((table) => {
      const name = table.split('.')[1]!.replaceAll('"', '')
      const key = ['organization_id', ...(objectColumn ? [objectColumn] : []), 'external_id'].join(', ')
      return `
    alter table ${table} add column shares_external_id boolean not null default false;
    update ${table} t set shares_external_id = true from (
      select organization_id, id, row_number() over (partition by ${key} order by created_at, id) as place
      from ${table} where deleted_at is null and external_id <> '') d
    where t.organization_id = d.organization_id and t.id = d.id and d.place > 1;
    create unique index ${uniqueExternalIdIndex}${name} on ${table} (${key})
      where deleted_at is null and external_id <> '' and not shares_external_id;
    create index ${name}_shared_external_id on ${table} (${key}) where shares_external_id;
    create trigger release_external_id after update of external_id, deleted_at on ${table} for each row
      when (old.deleted_at is null and old.external_id <> '' and (new.external_id is distinct from old.external_id or new.deleted_at is not null))
      execute function kernel.release_external_id(${objectColumn ?? ''});`
    })
    .join('\n')
