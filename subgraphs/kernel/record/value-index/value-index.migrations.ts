import type { Migration } from '../../database/migrate.ts'
import { valueColumns, valueTable } from './value-column.ts'

const kinds = Object.entries(valueColumns)

/**
 * The values of indexed and unique custom fields: one row for each field of each live record, also without a value. Each kind of values has a column, and
 * an index that gives the rows of a field by value, then by creation. An expression index of a table of records would slow down the writes and
 * the plans of all organizations, because they share the table.
 *
 * Two texts are the same for `unique_key` when they differ in case, in white space or in compatible forms of their characters only. A long key
 * is a hash.
 */
export const valueIndexTable: Migration = {
  name: '20261210-kernel-record-value',
  sql: String.raw`
    create table ${valueTable} (
      organization_id uuid not null,
      object text not null,
      field text not null,
      record_id uuid not null,
      created_at timestamptz(3) not null,
      kind text not null,
      ${kinds.map(([, { column, type }]) => `${column} ${type},`).join('\n      ')}
      unique_key text,
      primary key (organization_id, object, field, record_id)
    );
    create unique index record_value_unique on ${valueTable} (organization_id, object, field, unique_key)
      where unique_key is not null;
    ${kinds
      .map(
        ([kind, { column }]) =>
          `create index record_value_${kind} on ${valueTable} (organization_id, object, field, ${column}, created_at, record_id) where kind = '${kind}';`,
      )
      .join('\n    ')}

    create function kernel.unique_key(value jsonb, form text) returns text language plpgsql immutable strict parallel safe as $$
    declare key text;
    begin
      if form = 'NUMBER' then
        return case when jsonb_typeof(value) = 'number' then trim_scale(value::numeric)::text end;
      end if;
      if jsonb_typeof(value) <> 'string' then return null; end if;
      key := lower(btrim(regexp_replace(normalize(value #>> '{}', NFKC), '\s+', ' ', 'g')));
      if form = 'PHONE' then
        key := regexp_replace(regexp_replace(key, '[^0-9+]', '', 'g'), '^00', '+');
      end if;
      if octet_length(key) > 1000 then key := 'sha256 ' || encode(sha256(convert_to(key, 'UTF8')), 'hex'); end if;
      return nullif(key, '');
    end $$;`,
}
