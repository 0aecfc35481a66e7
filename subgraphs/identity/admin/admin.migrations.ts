import type { Migration } from '../../kernel/database/migrate.ts'

export const adminTables: Migration = {
  name: '20261121-identity-admin',
  sql: `
    alter table identity.app_user
      -- Id of the user in the directory (SCIM).
      add column external_id text,
      -- When the open invitation was sent; null without an open invitation.
      add column invited_at timestamptz(3),
      -- Names that the organization gave the person. It sees them instead of the names in an account that the person may already have.
      add column known_as jsonb;
    create unique index app_user_external_id on identity.app_user (organization_id, external_id) where left_at is null;

    alter table identity.team
      add column external_id text,
      add column updated_at timestamptz(3);
    update identity.team set updated_at = created_at;
    alter table identity.team alter column updated_at set not null;
    create unique index team_external_id on identity.team (organization_id, external_id);

    -- Users as administrators see them. With security_invoker, the row-level security policies of the caller apply.
    create view identity.admin_user with (security_invoker = true) as
      select u.organization_id, u.id, p.email,
        p.email_verified_at is not null and u.invited_at is null as email_verified,
        coalesce(u.known_as ->> 'name', p.name) as name, u.profile_id,
        case when u.known_as is null then p.first_name else u.known_as ->> 'firstName' end as first_name,
        case when u.known_as is null then p.last_name else u.known_as ->> 'lastName' end as last_name, u.role, u.visibility, u.is_active,
        case when u.invited_at is not null then 'INVITED' when u.is_active then 'ACTIVE' else 'DEACTIVATED' end as status,
        case when u.invited_at is null then p.timezone else 'UTC' end as timezone,
        case when u.invited_at is null then p.locale else 'en' end as locale, u.external_id, u.invited_at, u.created_at,
        u.updated_at,
        u.left_at as deleted_at
      from identity.app_user u join identity.person p on p.id = u.person_id;

    create view identity.admin_team with (security_invoker = true) as
      select t.organization_id, t.id, t.name, t.external_id, t.created_at, t.updated_at,
        array(
          select m.user_id::text from identity.team_member m
          join identity.app_user u on u.organization_id = m.organization_id and u.id = m.user_id and u.left_at is null
          where m.organization_id = t.organization_id and m.team_id = t.id order by m.user_id
        ) as user_ids
      from identity.team t;
  `,
}

export const acceptanceColumns: Migration = {
  name: '20261121-identity-ways-to-belong',
  sql: `
    alter table identity.app_user
      -- True for a user who was invited and has never accepted, also while the user is deactivated.
      add column must_accept boolean not null default false,
      -- True when somebody else added the person while the password was not proven, so that a stranger may have set it.
      add column distrusts_password boolean not null default false;
    update identity.app_user set must_accept = true where invited_at is not null;

    create or replace view identity.admin_user with (security_invoker = true) as
      select u.organization_id, u.id, p.email,
        p.email_verified_at is not null and not u.must_accept as email_verified,
        coalesce(u.known_as ->> 'name', p.name) as name, u.profile_id,
        case when u.known_as is null then p.first_name else u.known_as ->> 'firstName' end as first_name,
        case when u.known_as is null then p.last_name else u.known_as ->> 'lastName' end as last_name, u.role, u.visibility, u.is_active,
        case when u.invited_at is not null then 'INVITED' when u.is_active then 'ACTIVE' else 'DEACTIVATED' end as status,
        case when not u.must_accept then p.timezone else 'UTC' end as timezone,
        case when not u.must_accept then p.locale else 'en' end as locale, u.external_id, u.invited_at, u.created_at,
        u.updated_at,
        u.left_at as deleted_at
      from identity.app_user u join identity.person p on p.id = u.person_id;
  `,
}

export const provenPasswordColumn: Migration = {
  name: '20261121-identity-proven-passwords',
  sql: `
    -- True when the person who set the password can read mails to the address. A sign-in link proves the address, but not who set the
    -- password.
    alter table identity.person add column is_password_proven boolean not null default false;
    update identity.person set is_password_proven = email_verified_at is not null;
  `,
}

export const joinedAndGenerationColumns: Migration = {
  name: '20261122-identity-sign-ins',
  sql: `
    alter table identity.app_user
      -- True after the person registered, accepted an invitation or signed in. Until then the organization sees nothing of the
      -- person's account.
      add column has_joined boolean not null default true,
      -- Incremented when all sign-ins of the user are ended. A sign-in in progress carries the number of its start, and is refused
      -- when the number has changed.
      add column sign_in_generation integer not null default 0;
    update identity.app_user u set has_joined = false
      where must_accept or known_as is not null and not exists (
        select from identity.session s where s.organization_id = u.organization_id and s.user_id = u.id
      );

    create or replace view identity.admin_user with (security_invoker = true) as
      select u.organization_id, u.id, p.email,
        p.email_verified_at is not null and u.has_joined as email_verified,
        coalesce(u.known_as ->> 'name', p.name) as name, u.profile_id,
        case when u.known_as is null then p.first_name else u.known_as ->> 'firstName' end as first_name,
        case when u.known_as is null then p.last_name else u.known_as ->> 'lastName' end as last_name, u.role, u.visibility, u.is_active,
        case when u.invited_at is not null then 'INVITED' when u.is_active then 'ACTIVE' else 'DEACTIVATED' end as status,
        case when u.has_joined then p.timezone else 'UTC' end as timezone,
        case when u.has_joined then p.locale else 'en' end as locale, u.external_id, u.invited_at, u.created_at,
        u.updated_at,
        u.left_at as deleted_at
      from identity.app_user u join identity.person p on p.id = u.person_id;
  `,
}
