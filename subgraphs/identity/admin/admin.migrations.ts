import type { Migration } from '../../kernel/database/migrate.ts'

export const adminTables: Migration = {
  name: '20261121-identity-admin',
  sql: `
    alter table identity.app_user
      -- What a directory calls the user.
      add column external_id text,
      -- Set until the invitation is accepted.
      add column invited_at timestamptz(3),
      -- As the organization calls the person: who invites somebody or provisions them learns nothing of an account they have.
      add column known_as jsonb;
    create unique index app_user_external_id on identity.app_user (organization_id, external_id) where left_at is null;

    alter table identity.team
      add column external_id text,
      add column updated_at timestamptz(3);
    update identity.team set updated_at = created_at;
    alter table identity.team alter column updated_at set not null;
    create unique index team_external_id on identity.team (organization_id, external_id);

    -- Users as administrators see them. The caller's row-level security holds.
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

export const waysToBelong: Migration = {
  name: '20261121-identity-ways-to-belong',
  sql: `
    alter table identity.app_user
      -- Invited, and has never accepted; deactivated or not.
      add column must_accept boolean not null default false,
      -- Somebody else added the person, whose password nobody had proven: whoever set it may be a stranger.
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

export const provenPasswords: Migration = {
  name: '20261121-identity-proven-passwords',
  sql: `
    -- Whoever set the password was seen to read the address. A sign-in link proves the address, but not that.
    alter table identity.person add column is_password_proven boolean not null default false;
    update identity.person set is_password_proven = email_verified_at is not null;
  `,
}

export const signIns: Migration = {
  name: '20261122-identity-sign-ins',
  sql: `
    alter table identity.app_user
      -- The person came itself: registered, accepted an invitation, or signed in. Until then the organization is told nothing
      -- that the person says of itself elsewhere.
      add column has_joined boolean not null default true,
      -- Counts up when everything ends that began with a sign-in of the user: what is in flight carries the number it began with.
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
