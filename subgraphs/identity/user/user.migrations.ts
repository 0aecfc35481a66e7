import type { Migration } from '../../kernel/database/migrate.ts'

export const userTables: Migration = {
  name: '20261121-identity-user',
  sql: `
    -- A human being, who belongs to no organization. In each organization the person is a user.
    create table identity.person (
      id uuid primary key,
      email text not null,
      password_hash text,
      name text not null,
      first_name text,
      last_name text,
      timezone text not null default 'UTC',
      locale text not null default 'en',
      email_verified_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );
    -- Addresses are stored in lower case.
    create unique index person_email on identity.person (email);

    create table identity.app_user (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      person_id uuid not null references identity.person,
      role text not null,
      visibility text not null,
      is_active boolean not null default true,
      left_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, person_id)
    );
    create index app_user_person on identity.app_user (person_id);
    create trigger app_user_tells after update of role, visibility, is_active, left_at on identity.app_user
      for each row execute function identity.tell_credentials_changed('organization_id');
  `,
}

/** Who reports to whom. The rule against cycles is `user/manager.ts`. */
export const managerColumn: Migration = {
  name: '20261128-identity-manager',
  sql: `
    alter table identity.app_user
      add column manager_id uuid,
      add constraint app_user_manager foreign key (organization_id, manager_id) references identity.app_user (organization_id, id);
    create index app_user_manager on identity.app_user (organization_id, manager_id) where manager_id is not null;

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
        u.left_at as deleted_at,
        u.manager_id
      from identity.app_user u join identity.person p on p.id = u.person_id;

    alter table identity.user_name add column manager_id uuid;
    create index user_name_by_manager on identity.user_name (organization_id, manager_id, name, created_at, id)
      where manager_id is not null;
    create function identity.copy_manager() returns trigger language plpgsql security definer set search_path = pg_catalog as $$ begin
      update identity.user_name set manager_id = new.manager_id where organization_id = new.organization_id and id = new.id;
      return null;
    end $$;
    create trigger app_user_manager_changed after update of manager_id on identity.app_user
      for each row when (old.manager_id is distinct from new.manager_id) execute function identity.copy_manager();

    create or replace view identity.listed_user as
      select organization_id, id, name, case when not has_left then email end as email,
        case when not has_left then avatar end as avatar, is_active and not has_left as active, created_at, search_text, manager_id
      from identity.user_name where organization_id = kernel.current_organization();
  `,
}

/** Row-level security for requests: they can see and change their own organization, and see its persons without the password hashes. */
export const tenantPolicies: Migration = {
  name: '20261121-identity-tenant-view',
  sql: `
    alter table identity.organization enable row level security;
    create policy tenant on identity.organization to crm_app using (id = (select kernel.current_organization()));
    grant select, update on identity.organization to crm_app;

    alter table identity.person enable row level security;
    create policy tenant on identity.person to crm_app
      using (exists (select from identity.app_user u where u.person_id = person.id));
    grant select (id, email, name, first_name, last_name, timezone, locale, email_verified_at, created_at, updated_at)
      on identity.person to crm_app;
  `,
}
