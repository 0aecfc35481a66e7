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
