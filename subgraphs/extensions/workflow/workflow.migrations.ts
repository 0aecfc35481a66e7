import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** What `runQueue` says of its table: a run and its item of the queue are one row. */
export const runTable = {
  name: 'workflow_run',
  table: 'extensions.workflow_run',
  shares: { organization: 'organization_id', key: 'workflow_id', perKeyMax: 8, perOrganizationMax: 4 },
} as const

export const workflowTables: Migration = {
  name: '20261128-extensions-workflow',
  sql: `
    create table extensions.workflow (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      name text not null,
      description text,
      run_as_user_id uuid not null,
      status text not null,
      paused_reason text,
      trigger_type text not null,
      trigger_entity text,
      trigger_config jsonb not null,
      conditions jsonb not null default '[]',
      logic text not null,
      steps jsonb not null default '[]',
      steps_version integer not null,
      run_once boolean not null,
      delay_minutes integer not null,
      allow_manual boolean not null,
      event_types text[] not null default '{}',
      hook_token text,
      sealed_secret text,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, run_as_user_id) references identity.app_user (organization_id, id)
    );
    create unique index workflow_name on extensions.workflow (organization_id, name) where deleted_at is null;
    create index workflow_created on extensions.workflow (organization_id, created_at, id) where deleted_at is null;
    create unique index workflow_hook on extensions.workflow (hook_token) where hook_token is not null;

    -- The steps that runs execute. A row is never changed.
    create table extensions.workflow_version (
      organization_id uuid not null,
      workflow_id uuid not null,
      number integer not null,
      steps jsonb not null,
      run_as_user_id uuid not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, workflow_id, number),
      foreign key (organization_id, workflow_id) references extensions.workflow (organization_id, id)
    );

    -- Starts in the current minute. A table of its own, so that a start changes neither the workflow nor its version.
    create table extensions.workflow_starts (
      organization_id uuid not null,
      workflow_id uuid not null,
      minute timestamptz(3) not null,
      count integer not null,
      primary key (organization_id, workflow_id)
    ) with (fillfactor = 50);

    -- The records for which a workflow has run that runs once for each.
    create table extensions.workflow_once (
      organization_id uuid not null,
      workflow_id uuid not null,
      record_id uuid not null,
      primary key (organization_id, workflow_id, record_id)
    );

    -- When a workflow is started by time. A row exists while the workflow is active.
    create table extensions.workflow_schedule (
      organization_id uuid not null,
      workflow_id uuid not null,
      -- Either a schedule, or the field of a record with the minutes after it.
      cron text,
      field text,
      offset_minutes integer,
      -- The times after this one count; of records with the same time, those with a greater id.
      after timestamptz(3) not null,
      after_id uuid,
      -- Null until a worker has found it.
      next_run_at timestamptz(3),
      primary key (organization_id, workflow_id)
    );
    create index workflow_schedule_next on extensions.workflow_schedule (next_run_at nulls first);

    create function extensions.keep_workflow() returns trigger language plpgsql as $$
    declare
      is_on boolean := new.status = 'ACTIVE' and new.deleted_at is null;
      own_cron text := new.trigger_config ->> 'cron';
      own_field text := new.trigger_config ->> 'field';
      own_offset integer := coalesce((new.trigger_config ->> 'offsetMinutes')::numeric::integer, 0);
    begin
      insert into extensions.workflow_version (organization_id, workflow_id, number, steps, run_as_user_id, created_at)
        values (new.organization_id, new.id, new.steps_version, new.steps, new.run_as_user_id, new.updated_at)
        on conflict do nothing;
      perform extensions.subscribe_automation(
        new.organization_id, 'WORKFLOW', new.id, case when is_on then new.event_types else '{}' end);
      if not is_on or new.trigger_type <> 'TIME_BASED' then
        delete from extensions.workflow_schedule where organization_id = new.organization_id and workflow_id = new.id;
      else
        insert into extensions.workflow_schedule as s (organization_id, workflow_id, cron, field, offset_minutes, after)
          values (new.organization_id, new.id, own_cron, own_field, own_offset, new.updated_at)
          on conflict (organization_id, workflow_id) do update set cron = excluded.cron, field = excluded.field,
            offset_minutes = excluded.offset_minutes, after = excluded.after, after_id = null, next_run_at = null
          where (s.cron, s.field, s.offset_minutes) is distinct from (excluded.cron, excluded.field, excluded.offset_minutes);
      end if;
      return null;
    end $$;
    create trigger workflow_keeps after insert or update on extensions.workflow
      for each row execute function extensions.keep_workflow();

    create table ${runTable.table} (
      organization_id uuid not null,
      id uuid not null,
      workflow_id uuid not null,
      workflow_version integer not null,
      status text not null default 'QUEUED',
      trigger_type text not null,
      event_id uuid,
      event_position bigint,
      record_type text,
      record_id uuid,
      -- What a request or a call has sent; the record of an event is read from the event.
      input jsonb,
      depth integer not null,
      started_by_id uuid,
      -- What started it, once: a change of a record, a time, a signed request.
      start_key text,
      -- Where it is: the next step, the loops around it, and the execution that is open.
      cursor jsonb not null,
      executed_steps integer not null default 0,
      error_code text,
      error_message text,
      error_step_id text,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      -- The end of a delay, or the time until which an approval can be decided.
      resume_at timestamptz(3),
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(runTable)}
    create unique index workflow_run_start on ${runTable.table} (organization_id, workflow_id, start_key) where start_key is not null;
    create index workflow_run_of on ${runTable.table} (organization_id, workflow_id, id);
    create index workflow_run_status on ${runTable.table} (organization_id, status, id);
    create index workflow_run_record on ${runTable.table} (organization_id, record_id, id) where record_id is not null;

    -- One attempt of an execution of a step.
    create table extensions.workflow_run_step (
      organization_id uuid not null,
      run_id uuid not null,
      -- 1, 2, 3 … in each run: the execution.
      position integer not null,
      attempt integer not null,
      step_id text not null,
      type text not null,
      -- The index of the item of the innermost loop; null outside of loops.
      iteration integer,
      status text not null,
      input jsonb,
      output jsonb,
      error_code text,
      error_message text,
      decision text,
      decided_by_id uuid,
      comment text,
      started_at timestamptz(3) not null,
      ended_at timestamptz(3),
      primary key (organization_id, run_id, position, attempt)
    );
    create index workflow_run_step_latest on extensions.workflow_run_step (organization_id, run_id, step_id, position desc, attempt desc);
  `,
}
