import type { Migration } from '../../kernel/database/migrate.ts'

export const openClientTable: Migration = {
  name: '20261129-identity-oauth-open-client',
  sql: `
    -- A client that registered itself. It belongs to no organization, and only users who consent let it in.
    create table identity.oauth_open_client (
      -- Also the client_id.
      id uuid primary key,
      name text not null,
      redirect_uris text[] not null,
      scopes text[] not null,
      created_at timestamptz(3) not null,
      -- When a user last consented. Null: never, so that it is deleted soon.
      used_at timestamptz(3)
    );
    create index oauth_open_client_unused on identity.oauth_open_client (created_at) where used_at is null;
    create index oauth_open_client_used on identity.oauth_open_client (used_at);
    create index oauth_grant_by_app on identity.oauth_grant (app_id);
    alter table identity.oauth_open_client enable row level security;
    create policy let_in on identity.oauth_open_client for select to crm_app
      using (exists (select from identity.oauth_installation i where i.app_id = oauth_open_client.id));
    grant select on identity.oauth_open_client to crm_app;

    create view identity.oauth_client with (security_invoker = true) as
      select id, organization_id, owner_id, name, description, homepage_url, app_version, type, redirect_uris, scopes,
        rate_limit, secret_hash, deleted_at, false as is_open
      from identity.oauth_app
      union all
      select id, null, null, name, null, null, '1.0.0', 'PUBLIC', redirect_uris, scopes,
        '{"limit": 5000, "window": "HOUR"}', null, null, true
      from identity.oauth_open_client;
  `,
}
