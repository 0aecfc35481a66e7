import type { Migration } from '../database/migrate.ts'

/**
 * `kernel.search_text` is the text whose trigrams are indexed: lower case, code points beyond ASCII as letters and digits, because
 * `pg_trgm` ignores them in some locales, and one space for everything between words.
 */
export const searchFunctions: Migration = {
  name: '20261122-kernel-search',
  sql: String.raw`
    create function kernel.search_text(value text) returns text language plpgsql immutable strict parallel safe as $$
    begin
      value := lower(value);
      if octet_length(value) > length(value) then
        value := (
          select string_agg(case when octet_length(c) = 1 then c else 'u' || to_hex(ascii(c)) end, '' order by n)
          from regexp_split_to_table(value, '') with ordinality as characters(c, n));
      end if;
      return regexp_replace(value collate "C", '[^a-z0-9]+', ' ', 'g');
    end $$;`,
}
