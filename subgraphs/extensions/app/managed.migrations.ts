import type { Migration } from '../../kernel/database/migrate.ts'

const tables = [
  'field_definition',
  'custom_object',
  'validation_rule',
  'workflow',
  'custom_action',
  'before_save_hook',
  'after_save_trigger',
  'named_credential',
  'layout',
  'page',
  'function',
]

/** By which installed app a component is managed. */
export const managedComponents: Migration = {
  name: '20261230-extensions-managed-by',
  sql: `
    drop view if exists tenant.extensions_function_with_state;
    drop view extensions.function_with_state;
    drop view if exists tenant.extensions_before_save_hook_with_state;
    drop view extensions.before_save_hook_with_state;
    ${tables.map((table) => `alter table extensions.${table} add column managed_by text;`).join('\n    ')}
    create view extensions.function_with_state with (security_invoker = true) as
      select f.*,
        (select v.number from extensions.function_version v
         where v.organization_id = f.organization_id and v.id = f.deployed_version_id) as deployed_version,
        array(select s.name from extensions.function_secret s
         where s.organization_id = f.organization_id and s.function_id = f.id order by s.name) as secret_names
      from extensions.function f;
    create view extensions.before_save_hook_with_state with (security_invoker = true) as
      select h.*, coalesce(f.failures, 0) as consecutive_failures, f.failed_at as last_failed_at, f.error as last_error
      from extensions.before_save_hook h
      left join extensions.before_save_hook_failure f on f.organization_id = h.organization_id and f.hook_id = h.id;
  `,
}
