import type { Migration } from '../../kernel/database/migrate.ts'
import {
  dropMaintainedCountTriggers,
  maintainedCountTriggers,
  maintainedTotals,
} from '../../kernel/record/record-table.ts'

export const oauthAppTable: Migration = {
  name: '20261121-identity-oauth-app',
  sql: `
    create table identity.oauth_app (
      organization_id uuid not null references identity.organization,
      -- Also the client_id.
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      description text,
      homepage_url text,
      app_version text not null,
      type text not null,
      redirect_uris text[] not null default '{}',
      scopes text[] not null,
      rate_limit jsonb not null,
      -- SHA-256 of the secret, which itself is not stored. Null for a public client.
      secret_hash text,
      secret_prefix text,
      deleted_at timestamptz(3),
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      foreign key (organization_id, owner_id) references identity.app_user (organization_id, id)
    );
    -- A client sends no organization id, so it is found by its id alone.
    create index oauth_app_id on identity.oauth_app (id);
    create index oauth_app_created on identity.oauth_app (organization_id, created_at, id) where deleted_at is null;
    ${maintainedCountTriggers('identity.oauth_app', 'oauth_app')}
  `,
}

export const oauthGrantTables: Migration = {
  name: '20261121-identity-oauth-grant',
  sql: `
    -- An app that may act in an organization, which may be another one than the organization that registered the app.
    create table identity.oauth_installation (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      app_id uuid not null,
      settings jsonb not null default '{}',
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, app_id)
    );
    -- An organization also sees apps of other organizations that are installed in it.
    create policy let_in on identity.oauth_app for select to crm_app
      using (exists (select from identity.oauth_installation i where i.app_id = oauth_app.id));

    -- A consent of a user. The tokens of the app for this user work only while it exists.
    create table identity.oauth_grant (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      app_id uuid not null,
      user_id uuid not null,
      scopes text[] not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      primary key (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create index oauth_grant_id on identity.oauth_grant (id);
    create index oauth_grant_app on identity.oauth_grant (organization_id, app_id);
    create trigger oauth_grant_tells after update or delete on identity.oauth_grant
      for each row execute function identity.tell_credentials_changed('organization_id');

    -- Authorization codes, refresh tokens and access tokens. Only their SHA-256 is stored.
    create table identity.oauth_token (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      kind text not null,
      token_hash text not null,
      app_id uuid not null,
      user_id uuid not null,
      grant_id uuid,
      scopes text[] not null,
      payload jsonb not null,
      created_at timestamptz(3) not null,
      consumed_at timestamptz(3),
      expires_at timestamptz(3) not null,
      primary key (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    -- A request with a token contains no organization id, so the token is found by its hash alone.
    create index oauth_token_hash on identity.oauth_token (token_hash);
    create index oauth_token_grant on identity.oauth_token (organization_id, grant_id);
    create index oauth_token_expires on identity.oauth_token (expires_at);
    create trigger oauth_token_tells after delete on identity.oauth_token
      for each row when (old.kind in ('AccessToken', 'ClientCredentials'))
      execute function identity.tell_credentials_changed('organization_id');

    -- State of a browser during sign-in and consent. The user is not known yet, so the row belongs to no organization.
    create table identity.oauth_visit (
      visit_hash text not null,
      kind text not null,
      -- Encrypted with a key of the platform.
      sealed text not null,
      expires_at timestamptz(3) not null,
      primary key (kind, visit_hash)
    );
    create index oauth_visit_expires on identity.oauth_visit (expires_at);

    -- A change of the rights of an app affects every organization in which the app has tokens.
    create function identity.tell_oauth_app_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('credentials_changed', organization_id::text)
        from (select distinct organization_id from identity.oauth_token where app_id = new.id) affected;
      return null;
    end $$;
    create index oauth_token_app on identity.oauth_token (app_id);
    create trigger oauth_app_tells after update of owner_id, scopes, rate_limit, deleted_at on identity.oauth_app
      for each row execute function identity.tell_oauth_app_changed();
  `,
}

export const appOrganizationTrigger: Migration = {
  name: '20261121-identity-oauth-app-organization',
  sql: `
    -- Both functions are security definers, because the role of the request cannot see tokens in other organizations.
    alter function identity.tell_oauth_app_changed() security definer set search_path = pg_catalog, pg_temp;

    -- While an organization is suspended, its apps do not work, so every organization in which they have tokens is notified.
    create function identity.tell_app_organization_changed() returns trigger language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform pg_notify('credentials_changed', organization_id::text)
        from (
          select distinct t.organization_id from identity.oauth_app a join identity.oauth_token t on t.app_id = a.id
          where a.organization_id = new.id and t.organization_id <> new.id
        ) affected;
      return null;
    end $$;
    create trigger organization_tells_of_apps after update of status on identity.organization
      for each row when (old.status is distinct from new.status)
      execute function identity.tell_app_organization_changed();
  `,
}

export const grantsByUser: Migration = {
  name: '20261122-identity-oauth-grants-by-user',
  sql: `
    create index oauth_grant_user on identity.oauth_grant (organization_id, user_id);
    create index oauth_token_user on identity.oauth_token (organization_id, user_id);
  `,
}

export const oauthAppTotals: Migration = {
  name: '20261122-identity-oauth-app-totals',
  sql: `
    ${dropMaintainedCountTriggers('identity.oauth_app', 'oauth_app')}
    ${maintainedTotals('identity.oauth_app', { by: [] })}
  `,
}

export const installedPackages: Migration = {
  name: '20261230-identity-oauth-installation-package',
  sql: `
    alter table identity.oauth_installation
      -- The version of the app whose package the organization installed; null for an app that users connected by themselves.
      add column package_version text,
      -- The scopes that the organization granted to that app: its tokens have no others. Null: those of the consents.
      add column granted_scopes text[];
    create trigger oauth_installation_tells after update of granted_scopes on identity.oauth_installation
      for each row when (old.granted_scopes is distinct from new.granted_scopes)
      execute function identity.tell_credentials_changed('organization_id');
    create trigger oauth_installation_granted after insert on identity.oauth_installation
      for each row when (new.granted_scopes is not null)
      execute function identity.tell_credentials_changed('organization_id');
  `,
}
