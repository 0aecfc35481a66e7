import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** What `startQueue` says of its table. */
export const startTable = {
  name: 'function_start',
  table: 'extensions.function_start',
  shares: { organization: 'organization_id', key: 'function_id', perKeyMax: 8, perOrganizationMax: 4 },
} as const

/** The name of the reader of the event log that starts automations, and of the channel that tells it of a new organization. */
export const starter = { consumer: 'automations', channel: 'automation_subscribers' } as const

export const subscriptionTables: Migration = {
  name: '20261128-extensions-subscription',
  sql: `
    -- The organizations with automations that events start. Events of all others are not read.
    create table extensions.event_subscriber (
      organization_id uuid primary key
    );

    -- Which automation an event of the type starts. A row exists while the automation is turned on.
    create table extensions.event_subscription (
      organization_id uuid not null,
      kind text not null,
      automation_id uuid not null,
      event_type text not null,
      -- It is started by the events after this position: the latest one when it was turned on.
      position bigint not null,
      -- Events that were committed before and had no position yet.
      earlier_event_ids uuid[] not null,
      primary key (organization_id, kind, automation_id, event_type)
    );

    -- Sets the types of events that start an automation, in the transaction that changes it.
    create function extensions.subscribe_automation(organization uuid, of_kind text, automation uuid, types text[])
    returns void language plpgsql as $$
    declare
      head bigint;
      is_first boolean;
    begin
      delete from extensions.event_subscription
        where organization_id = organization and kind = of_kind and automation_id = automation and not event_type = any(types);
      if cardinality(types) = 0 then return; end if;
      select coalesce(max(position), 0) into head from kernel.event_head where organization_id = organization;
      insert into extensions.event_subscription (organization_id, kind, automation_id, event_type, position, earlier_event_ids)
        select organization, of_kind, automation, type, head, array(
          select event_id from kernel.event_pending where organization_id = organization order by sequence limit 1000)
        from unnest(types) type on conflict do nothing;
      -- The update of an existing row locks it against its deletion, which looks for subscriptions.
      insert into extensions.event_subscriber as s (organization_id) values (organization)
        on conflict (organization_id) do update set organization_id = s.organization_id
        returning xmax = 0 into is_first;
      if is_first then
        insert into kernel.event_consumer as c (organization_id, name, position) values (organization, '${starter.consumer}', head)
          on conflict (organization_id, name) do update set position = greatest(c.position, head), failures = 0, retry_at = null;
        perform pg_notify('${starter.channel}', organization::text);
      end if;
    end $$;

    -- When the schedule of a function comes true next. A row exists while the function is turned on.
    create table extensions.function_schedule (
      organization_id uuid not null,
      function_id uuid not null,
      schedule text not null,
      -- The times after this one count.
      after timestamptz(3) not null,
      -- Null until a worker has found it.
      next_run_at timestamptz(3),
      primary key (organization_id, function_id)
    );
    create index function_schedule_next on extensions.function_schedule (next_run_at nulls first);

    create function extensions.start_function() returns trigger language plpgsql as $$
    declare
      is_on boolean := new.is_active and new.deleted_at is null;
    begin
      perform extensions.subscribe_automation(
        new.organization_id, 'FUNCTION', new.id, case when is_on then new.event_types else '{}' end);
      if not is_on or new.schedule is null then
        delete from extensions.function_schedule where organization_id = new.organization_id and function_id = new.id;
      else
        insert into extensions.function_schedule as s (organization_id, function_id, schedule, after)
          values (new.organization_id, new.id, new.schedule, new.updated_at)
          on conflict (organization_id, function_id) do update set schedule = excluded.schedule, after = excluded.after, next_run_at = null
          where s.schedule <> excluded.schedule;
      end if;
      return null;
    end $$;
    create trigger function_starts after insert or update of event_types, schedule, is_active, deleted_at on extensions.function
      for each row execute function extensions.start_function();

    -- One start of a function by an event or by its schedule, with its retries.
    create table ${startTable.table} (
      organization_id uuid not null,
      id uuid not null,
      function_id uuid not null,
      -- The event, which has the input; null for a schedule.
      event_id uuid,
      event_position bigint,
      -- The time of the schedule; null for an event.
      scheduled_for timestamptz(3),
      depth integer not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(startTable)}
    -- An event starts a function once, and so does a time of its schedule.
    create unique index function_start_event on ${startTable.table} (organization_id, function_id, event_id) where event_id is not null;
    create unique index function_start_tick on ${startTable.table} (organization_id, function_id, scheduled_for) where scheduled_for is not null;
  `,
}
