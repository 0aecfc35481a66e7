import type { Migration } from '../../kernel/database/migrate.ts'

export const userTables: Migration = {
  name: '20261121-identity-user',
  sql: `
    -- A human being; belongs to no organization. In each organization it is a user.
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

/** What requests of other subgraphs may see of organizations and people: their own organization, and names to show. */
export const tenantView: Migration = {
  name: '20261121-identity-tenant-view',
  sql: `
    alter table identity.organization enable row level security;
    create policy tenant on identity.organization to crm_app using (id = (select kernel.current_organization()));
    grant select on identity.organization to crm_app;
    grant select (id, name, email) on identity.person to crm_app;
  `,
}
