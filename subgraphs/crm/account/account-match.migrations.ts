import type { Migration } from '../../kernel/database/migrate.ts'

/**
 * What a conversion of a lead compares to find the account of a company. `crm.normalized_company` is the name in lower case without
 * punctuation and legal form; `crm.normalized_domain` is the host of a domain or web address without `www`.
 */
export const accountMatch: Migration = {
  name: '20261122-crm-account-match',
  sql: String.raw`
    create function crm.normalized_company(name text) returns text language sql immutable strict parallel safe as $$
      select nullif(btrim(regexp_replace(
        regexp_replace(lower(normalize(name, NFKC)), '[[:punct:][:space:]]+', ' ', 'g'),
        '( (ab|ag|aps|as|asa|bv|co|company|corp|corporation|gmbh|inc|incorporated|kg|limited|llc|ltd|nv|oy|oyj|plc|pty|sa|sarl|sas|se|spa|srl))+ ?$', '')), '')
    $$;
    create function crm.normalized_domain(address text) returns text language sql immutable strict parallel safe as $$
      select nullif(regexp_replace(
        regexp_replace(lower(btrim(address)), '^([a-z][a-z0-9+.-]*://)?(www\.)?', ''), '[/:?#].*$', ''), '')
    $$;
    alter table crm.account
      add column normalized_name text generated always as (crm.normalized_company(name)) stored,
      add column normalized_domain text
        generated always as (coalesce(crm.normalized_domain(domain), crm.normalized_domain(website))) stored;
    create index account_normalized_name on crm.account (organization_id, normalized_name, created_at, id) where deleted_at is null;
    create index account_normalized_domain on crm.account (organization_id, normalized_domain, created_at, id) where deleted_at is null;
  `,
}

/**
 * The same functions in PL/pgSQL. PostgreSQL parsed the body of a function in SQL again in each statement that writes an account,
 * because the generated columns call it: 30 to 50 us of an insert.
 */
export const accountMatchFunctions: Migration = {
  name: '20261123-crm-account-match-functions',
  sql: String.raw`
    create or replace function crm.normalized_company(name text) returns text language plpgsql immutable strict parallel safe as $$
    begin
      return nullif(btrim(regexp_replace(
        regexp_replace(lower(normalize(name, NFKC)), '[[:punct:][:space:]]+', ' ', 'g'),
        '( (ab|ag|aps|as|asa|bv|co|company|corp|corporation|gmbh|inc|incorporated|kg|limited|llc|ltd|nv|oy|oyj|plc|pty|sa|sarl|sas|se|spa|srl))+ ?$', '')), '');
    end $$;
    create or replace function crm.normalized_domain(address text) returns text language plpgsql immutable strict parallel safe as $$
    begin
      return nullif(regexp_replace(
        regexp_replace(lower(btrim(address)), '^([a-z][a-z0-9+.-]*://)?(www\.)?', ''), '[/:?#].*$', ''), '');
    end $$;
  `,
}
