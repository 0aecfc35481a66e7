import type { Migration } from '../../kernel/database/migrate.ts'

export const organizationTable: Migration = {
  name: '20261121-identity-organization',
  sql: `
    create table identity.organization (
      id uuid primary key,
      name text not null,
      code text not null unique,
      status text not null default 'ACTIVE',
      settings jsonb not null default '{}',
      entitlements text[] not null default '{}',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );

    -- Notifies every process that caches credentials when a change of their rights commits. The argument is the name of the column
    -- with the organization's id.
    create function identity.tell_credentials_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('credentials_changed', to_jsonb(coalesce(new, old)) ->> tg_argv[0]);
      return null;
    end $$;
    create trigger organization_tells after update of status on identity.organization
      for each row execute function identity.tell_credentials_changed('id');
  `,
}
