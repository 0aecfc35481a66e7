import type { Migration } from '../../kernel/database/migrate.ts'

export const functionTables: Migration = {
  name: '20261128-extensions-function',
  sql: `
    create table extensions.function (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      api_name text not null,
      name text not null,
      description text,
      language text not null,
      env_vars jsonb not null,
      timeout_ms integer not null,
      memory_mb integer not null,
      allowed_hosts text[] not null default '{}',
      run_as_user_id uuid not null,
      run_as_admin boolean not null,
      scopes text[] not null default '{}',
      http_enabled boolean not null,
      event_types text[] not null default '{}',
      schedule text,
      is_active boolean not null,
      deployed_version_id uuid,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, run_as_user_id) references identity.app_user (organization_id, id)
    );
    create unique index function_api_name on extensions.function (organization_id, api_name) where deleted_at is null;
    create index function_created on extensions.function (organization_id, created_at, id) where deleted_at is null;

    -- The sources. A row is never changed.
    create table extensions.function_version (
      organization_id uuid not null,
      id uuid not null,
      function_id uuid not null,
      -- 1, 2, 3 … in each function.
      number integer not null,
      language text not null,
      note text,
      source text not null,
      -- What the sandbox runs.
      code text not null,
      source_map text,
      created_at timestamptz(3) not null,
      created_by_id uuid,
      primary key (organization_id, id),
      foreign key (organization_id, function_id) references extensions.function (organization_id, id)
    );
    create unique index function_version_number on extensions.function_version (organization_id, function_id, number);

    create table extensions.function_secret (
      organization_id uuid not null,
      function_id uuid not null,
      name text not null,
      sealed_value text not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, function_id, name),
      foreign key (organization_id, function_id) references extensions.function (organization_id, id)
    );

    -- Subqueries, so that a lock of a function does not lock its versions.
    create view extensions.function_with_state with (security_invoker = true) as
      select f.*,
        (select v.number from extensions.function_version v
         where v.organization_id = f.organization_id and v.id = f.deployed_version_id) as deployed_version,
        array(select s.name from extensions.function_secret s
         where s.organization_id = f.organization_id and s.function_id = f.id order by s.name) as secret_names
      from extensions.function f;
  `,
}

/** The names of the secrets that the files of a function declare; they may not be set yet. */
export const functionRequiredSecrets: Migration = {
  name: '20261130-extensions-function-required-secrets',
  sql: `
    drop view if exists tenant.extensions_function_with_state;
    drop view extensions.function_with_state;
    alter table extensions.function add column required_secrets text[] not null default '{}';
    create view extensions.function_with_state with (security_invoker = true) as
      select f.*,
        (select v.number from extensions.function_version v
         where v.organization_id = f.organization_id and v.id = f.deployed_version_id) as deployed_version,
        array(select s.name from extensions.function_secret s
         where s.organization_id = f.organization_id and s.function_id = f.id order by s.name) as secret_names
      from extensions.function f;
  `,
}
