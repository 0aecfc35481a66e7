import type { Migration } from '../database/migrate.ts'
import { beginWithNextEvent } from '../outbox/event-consumer.ts'

/**
 * The functions read with the rights of their owner, because PostgreSQL uses no index on `words` under a policy of row-level security, and compare
 * the organization of the session themselves. `is not distinct from` keeps the planner from reading all entries of an organization by its key, and a
 * call of `ts_match_vq` from using the index for words that most entries have.
 */
const readsOf = 'language plpgsql stable security definer set search_path = pg_catalog, pg_temp'

export const searchTables: Migration = {
  name: '20261129-kernel-search-entry',
  sql: `
    create table kernel.search_entry (
      organization_id uuid not null,
      record_id uuid not null,
      object text not null,
      -- The words of the title, whose beginning is compared.
      title text not null,
      -- See lexemes.ts.
      words tsvector not null,
      primary key (organization_id, record_id, object)
    );
    -- Readers would have to compare every pending entry.
    create index search_entry_words on kernel.search_entry using gin (words) with (fastupdate = off);
    alter table kernel.search_entry alter column words set statistics 0;

    -- The words of titles, to which queries are corrected, with the hashes of their deletions.
    create table kernel.search_word (
      organization_id uuid not null,
      word text collate "C" not null,
      deletions integer[] not null,
      primary key (organization_id, word)
    );
    create index search_word_deletions on kernel.search_word using gin (deletions) with (fastupdate = off);

    -- Lexemes of many entries, and beginnings of lexemes with a final star; sampled.
    create table kernel.search_frequent (
      organization_id uuid not null,
      lexeme text collate "C" not null,
      primary key (organization_id, lexeme)
    );

    -- How far the entries of an organization are built.
    create table kernel.search_build (
      organization_id uuid primary key,
      -- What all entries were built from: the record types of the platform, and the version of the definitions; null while some are missing.
      digest text,
      version bigint,
      -- What the entries of each record type were built from.
      built jsonb not null default '{}',
      -- The record type whose entries are being built, and the last record with one.
      object text,
      after_id uuid
    );

    create function kernel.search_indexed(sought tsquery, matching tsquery, objects text[], beginning text, exact tsquery, titled tsquery,
      own tsquery, scanned integer, wanted integer)
    returns table (object text, record_id uuid, rank integer, is_own boolean)
    ${readsOf} set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
    declare organization uuid := kernel.current_organization();
    begin
      return query
        select c.object, c.record_id,
          case when left(c.title, length(beginning)) = beginning then 0 when ts_match_vq(c.words, exact) then 1
            when ts_match_vq(c.words, titled) then 2 else 3 end as rank,
          ts_match_vq(c.words, own) as is_own
        from (
          select * from kernel.search_entry e
          where e.words @@ sought and e.organization_id is not distinct from organization
            and e.object = any (objects) and ts_match_vq(e.words, matching)
          limit scanned
        ) c order by 3, 4 desc, 2 desc limit wanted;
    end $$;

    create function kernel.search_newest(matching tsquery, objects text[], beginning text, exact tsquery, titled tsquery, own tsquery,
      scanned integer, wanted integer)
    returns table (object text, record_id uuid, rank integer, is_own boolean)
    ${readsOf} set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
    declare organization uuid := kernel.current_organization();
    begin
      return query
        select c.object, c.record_id,
          case when left(c.title, length(beginning)) = beginning then 0 when ts_match_vq(c.words, exact) then 1
            when ts_match_vq(c.words, titled) then 2 else 3 end as rank,
          ts_match_vq(c.words, own) as is_own
        from (
          select * from kernel.search_entry e where e.organization_id = organization order by e.record_id desc limit scanned
        ) c where c.object = any (objects) and ts_match_vq(c.words, matching)
        order by 3, 4 desc, 2 desc limit wanted;
    end $$;

    -- The words of titles that may have been meant; null alone when a title has the sought word, if one is given.
    create function kernel.search_spellings(sought text, is_beginning boolean, hashes integer[])
    returns table (word text)
    ${readsOf} set enable_seqscan = off as $$
    declare organization uuid := kernel.current_organization();
    begin
      if exists (select from kernel.search_word w where w.organization_id = organization and w.word >= sought collate "C"
        and w.word < (sought || case when is_beginning then chr(1114111) else chr(1) end) collate "C") then
        return query select null::text;
      else
        return query select w.word from kernel.search_word w
          where w.deletions && hashes and w.organization_id is not distinct from organization limit 2000;
      end if;
    end $$;
    ${beginWithNextEvent('search')}
  `,
}
