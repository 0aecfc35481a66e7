import type { Migration } from '../../kernel/database/migrate.ts'

export const aiTriggerTables: Migration = {
  name: '20261128-assistant-ai-trigger',
  sql: `
    create table assistant.ai_trigger (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      description text,
      status text not null,
      event_type text,
      conditions jsonb not null default '[]',
      logic text not null,
      prompt text not null,
      output_schema jsonb not null,
      actions jsonb not null default '[]',
      require_approval boolean not null,
      rate_limit_per_hour integer not null,
      -- Null after the trigger was deleted, as the secrets are.
      inbound_token text,
      sealed_secret text,
      -- The secret before the last regeneration; it is accepted until previous_secret_expires_at.
      sealed_previous_secret text,
      previous_secret_expires_at timestamptz(3),
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, owner_id) references identity.app_user (organization_id, id)
    );
    create index ai_trigger_created on assistant.ai_trigger (organization_id, created_at, id) where deleted_at is null;
    create unique index ai_trigger_inbound on assistant.ai_trigger (inbound_token) where inbound_token is not null;

    -- What every execution changes. It is a table of its own, so that an execution changes neither the trigger nor its version.
    create table assistant.ai_trigger_state (
      organization_id uuid not null,
      trigger_id uuid not null,
      execution_count integer not null default 0,
      last_executed_at timestamptz(3),
      -- Executions that began in an hour of the clock, with those that were skipped.
      hour timestamptz(3) not null default 'epoch',
      hour_count integer not null default 0,
      -- Events after this position start executions, except those that were committed before it had a position.
      start_position bigint not null default 0,
      earlier_event_ids uuid[] not null default '{}',
      primary key (organization_id, trigger_id),
      foreign key (organization_id, trigger_id) references assistant.ai_trigger (organization_id, id) on delete cascade
    ) with (fillfactor = 50);

    -- The organizations with triggers that wait for events. Events of all others are not read.
    create table assistant.ai_trigger_subscriber (
      organization_id uuid primary key
    );

    -- In the transaction that turns a trigger on: events get positions after their commit, so none that is committed later is missed.
    create function assistant.subscribe_ai_trigger() returns trigger language plpgsql as $$
    declare
      head bigint;
      earlier uuid[];
      is_first boolean;
    begin
      if tg_op = 'INSERT' then
        insert into assistant.ai_trigger_state (organization_id, trigger_id) values (new.organization_id, new.id);
      elsif old.status = 'ACTIVE' and old.deleted_at is null and old.event_type is not distinct from new.event_type then
        return null;
      end if;
      if new.status <> 'ACTIVE' or new.deleted_at is not null or new.event_type is null then return null; end if;
      select coalesce(max(position), 0) into head from kernel.event_head where organization_id = new.organization_id;
      earlier := array(
        select event_id from kernel.event_pending where organization_id = new.organization_id order by sequence limit 1000
      );
      update assistant.ai_trigger_state set start_position = head, earlier_event_ids = earlier
        where organization_id = new.organization_id and trigger_id = new.id;
      -- The update of an existing row locks it against its deletion, which looks for triggers that wait for events.
      insert into assistant.ai_trigger_subscriber as s (organization_id) values (new.organization_id)
        on conflict (organization_id) do update set organization_id = s.organization_id
        returning xmax = 0 into is_first;
      if is_first then
        insert into kernel.event_consumer as c (organization_id, name, position) values (new.organization_id, 'ai_triggers', head)
          on conflict (organization_id, name) do update set position = greatest(c.position, head), failures = 0, retry_at = null;
        perform pg_notify('ai_trigger_subscribers', new.organization_id::text);
      end if;
      return null;
    end $$;
    create trigger ai_trigger_subscribes after insert or update on assistant.ai_trigger
      for each row execute function assistant.subscribe_ai_trigger();

    -- A trigger with its state. Subqueries, so that a lock of a trigger does not lock its state.
    create view assistant.ai_trigger_with_state with (security_invoker = true) as
      select t.*,
        (select s.execution_count from assistant.ai_trigger_state s
         where s.organization_id = t.organization_id and s.trigger_id = t.id) as execution_count,
        (select s.last_executed_at from assistant.ai_trigger_state s
         where s.organization_id = t.organization_id and s.trigger_id = t.id) as last_executed_at
      from assistant.ai_trigger t;
  `,
}
