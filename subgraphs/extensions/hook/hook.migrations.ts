import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const hookTables: Migration = {
  name: '20261128-extensions-before-save-hook',
  sql: `
    create table extensions.before_save_hook (${recordColumns},
      object_type text not null,
      name text not null,
      description text,
      is_active boolean not null,
      operations text[] not null default '{}',
      url text,
      function text,
      timeout_ms integer not null,
      failure_mode text not null,
      position integer not null,
      sealed_secret text
    );
    ${listIndexes('extensions.before_save_hook', 'before_save_hook', ['object_type', 'name'])}
    create unique index before_save_hook_name on extensions.before_save_hook (organization_id, object_type, name)
      where deleted_at is null;

    -- The failures in a row of a hook. A hook without a row has none.
    create table extensions.before_save_hook_failure (
      organization_id uuid not null,
      hook_id uuid not null,
      failures integer not null,
      failed_at timestamptz(3) not null,
      error text not null,
      -- It is not called before.
      paused_until timestamptz(3),
      primary key (organization_id, hook_id)
    );

    create view extensions.before_save_hook_with_state with (security_invoker = true) as
      select h.*, coalesce(f.failures, 0) as consecutive_failures, f.failed_at as last_failed_at, f.error as last_error
      from extensions.before_save_hook h
      left join extensions.before_save_hook_failure f on f.organization_id = h.organization_id and f.hook_id = h.id;
  `,
}

export const hookPreviousSecret: Migration = {
  name: '20261129-extensions-before-save-hook-previous-secret',
  sql: `
    drop view if exists tenant.extensions_before_save_hook_with_state;
    drop view extensions.before_save_hook_with_state;
    alter table extensions.before_save_hook
      add column sealed_previous_secret text, add column previous_secret_expires_at timestamptz(3);
    create view extensions.before_save_hook_with_state with (security_invoker = true) as
      select h.*, coalesce(f.failures, 0) as consecutive_failures, f.failed_at as last_failed_at, f.error as last_error
      from extensions.before_save_hook h
      left join extensions.before_save_hook_failure f on f.organization_id = h.organization_id and f.hook_id = h.id;
  `,
}
