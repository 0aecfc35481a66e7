import type { Migration } from '../../kernel/database/migrate.ts'

export const fieldHistoryTables: Migration = {
  name: '20261130-records-field-history',
  sql: `
    -- The values that changes of records have replaced, of the custom fields that track them.
    create table records.field_history (
      organization_id uuid not null,
      -- In the order of the changes of a record.
      id uuid not null,
      object text not null,
      record_id uuid not null,
      -- The name of the custom field.
      field text not null,
      -- Null without a value.
      previous_value jsonb,
      value jsonb,
      -- The version of the record after the change.
      version integer not null,
      changed_at timestamptz(3) not null,
      changed_by_id uuid,
      primary key (organization_id, record_id, id, changed_at)
    ) partition by range (changed_at);
    create table records.field_history_other partition of records.field_history default;

    -- Creates the missing partitions, beginning with the month of first_day, and moves the rows of these months out of the default partition.
    create function records.create_field_history_partitions(first_day date, months integer) returns void language plpgsql as $$
    declare
      child text;
      month date;
      month_after date;
    begin
      for step in 0 .. months loop
        month := (date_trunc('month', first_day) + make_interval(months => step))::date;
        month_after := (month + interval '1 month')::date;
        child := 'field_history_' || to_char(month, 'YYYY_MM');
        continue when to_regclass('records.' || child) is not null;
        execute format('create table records.%I (like records.field_history including defaults including indexes)', child);
        execute format(
          'with moved as (delete from records.field_history_other where changed_at >= %L and changed_at < %L returning *) insert into records.%I select * from moved',
          month, month_after, child
        );
        execute format(
          'alter table records.field_history attach partition records.%I for values from (%L) to (%L)', child, month, month_after
        );
      end loop;
    end $$;
    select records.create_field_history_partitions(current_date, 2);
  `,
}
