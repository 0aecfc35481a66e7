import type { Migration } from '../../kernel/database/migrate.ts'

export const invocationTable: Migration = {
  name: '20261128-extensions-function-invocation',
  sql: `
    -- The log of invocations, written when they have ended. Ids are UUIDv7, so a range of ids is a range of time.
    create table extensions.function_invocation (
      organization_id uuid not null,
      id uuid not null,
      function_id uuid not null,
      version_id uuid,
      trigger text not null,
      status text not null,
      -- JSON as text. The input of an event is not stored: event_id names it.
      input text,
      output text,
      error jsonb,
      logs jsonb not null default '[]',
      dropped_logs integer not null,
      depth integer not null,
      event_id uuid,
      attempt integer not null,
      -- THROTTLED ones of a second and function are one row.
      count integer not null default 1,
      duration_ms integer not null,
      cpu_ms integer not null,
      memory_mb integer not null,
      started_at timestamptz(3) not null,
      primary key (organization_id, id)
    ) partition by range (id);
    create index function_invocation_function on extensions.function_invocation (organization_id, function_id, id);
    create index function_invocation_status on extensions.function_invocation (organization_id, function_id, status, id);
    create index function_invocation_trigger on extensions.function_invocation (organization_id, function_id, trigger, id);
    create table extensions.function_invocation_other partition of extensions.function_invocation default;

    -- The smallest UUIDv7 of a day (UTC).
    create function extensions.first_id_of(day date) returns uuid language sql immutable as $$
      select rpad(lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0'), 32, '0')::uuid
    $$;

    -- Creates the missing weekly partitions of the log, and moves the rows of these weeks out of the default partition.
    create function extensions.create_invocation_partitions(first_day date, weeks integer) returns void language plpgsql as $$
    declare
      week date;
      first_id uuid;
      after_id uuid;
      child text;
    begin
      for step in 0 .. weeks loop
        week := date_trunc('week', first_day)::date + 7 * step;
        child := 'function_invocation_' || to_char(week, 'YYYY_MM_DD');
        continue when to_regclass('extensions.' || child) is not null;
        first_id := extensions.first_id_of(week);
        after_id := extensions.first_id_of(week + 7);
        execute format('create table extensions.%I (like extensions.function_invocation including defaults including indexes)', child);
        execute format(
          'with moved as (delete from extensions.function_invocation_other where id >= %L and id < %L returning *) insert into extensions.%I select * from moved',
          first_id, after_id, child
        );
        execute format('alter table extensions.function_invocation attach partition extensions.%I for values from (%L) to (%L)', child, first_id, after_id);
      end loop;
    end $$;
    select extensions.create_invocation_partitions(current_date - 7, 5);
  `,
}

export const invocationRunAs: Migration = {
  name: '20261129-extensions-function-invocation-run-as',
  sql: `
    -- The user as whom the invocation acted. Null for those from before: only who sees everything reads what they got and did.
    alter table extensions.function_invocation add column run_as_user_id uuid;
  `,
}
