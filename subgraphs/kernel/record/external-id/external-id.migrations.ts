import type { Migration } from '../../database/migrate.ts'

/**
 * Runs after a change that takes the external id from a live record. Of the records that had it before it had to be unique (`uniqueExternalIds`), the
 * oldest one is then the unique one; and a record that no longer has it is no longer one of them. A record that another transaction has locked is
 * passed over, so that no two transactions wait for each other. The argument of the trigger is the column that names the record type, if one table stores several.
 */
export const externalIdFunctions: Migration = {
  name: '20261214-kernel-external-id',
  sql: `
    create function kernel.release_external_id() returns trigger language plpgsql as $$
    declare
      source text := format('%I.%I', tg_table_schema, tg_table_name);
      same_type text := case when tg_nargs = 1 then format('and %I = %L', tg_argv[0], to_jsonb(old) ->> tg_argv[0]) else '' end;
    begin
      if old.shares_external_id then
        execute format('update %s set shares_external_id = false where organization_id = $1 and id = $2', source)
          using old.organization_id, old.id;
      else
        execute format('update %1$s set shares_external_id = false where organization_id = $1 and id = (
            select id from %1$s where organization_id = $1 and external_id = $2 and shares_external_id %2$s
            order by created_at, id limit 1 for update skip locked)', source, same_type)
          using old.organization_id, old.external_id;
      end if;
      return null;
    end $$;`,
}
