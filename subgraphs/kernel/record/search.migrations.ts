import type { Migration } from '../database/migrate.ts'

/**
 * `pg_trgm` indexes text by its trigrams, `btree_gin` lets the same index begin with the organization. `kernel.search_text` is the text
 * that is indexed: lower case, code points beyond ASCII as letters and digits (`pg_trgm` ignores them in some locales), and one space for
 * everything between words.
 */
export const searchFunctions: Migration = {
  name: '20261122-kernel-search',
  sql: String.raw`
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;

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
