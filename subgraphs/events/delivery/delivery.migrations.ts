import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { described } from './delivery-table.ts'

export const deliveryTables: Migration = {
  name: '20261122-events-delivery',
  sql: `
    -- The delivery log: one row for each attempt. Ids are UUIDv7, so a range of ids is a range of time.
    create table events.delivery (
      organization_id uuid not null,
      id uuid not null,
      webhook_id uuid not null,
      -- The row of the first attempt to deliver the same event. Only that row has the body.
      first_id uuid not null,
      event_id uuid not null,
      event_type text not null,
      event_version integer not null,
      attempt integer not null,
      -- PENDING, SUCCEEDED, FAILED or RETRY_SCHEDULED.
      status text not null,
      -- JSON, without the values of custom headers; null until it was sent.
      request_headers text,
      request_body text,
      response_status integer,
      response_body text,
      latency_ms integer,
      error text,
      is_replay boolean not null,
      is_test boolean not null,
      -- The delivery has failed with this attempt, and was not queued again since.
      is_recoverable boolean not null default false,
      created_at timestamptz(3) not null default now(),
      next_attempt_at timestamptz(3),
      primary key (organization_id, id)
    ) partition by range (id);
    create index delivery_webhook on events.delivery (organization_id, webhook_id, created_at, id);
    create index delivery_status on events.delivery (organization_id, webhook_id, status, created_at, id);
    create index delivery_recoverable on events.delivery (organization_id, webhook_id, created_at, id) where is_recoverable;
    create table events.delivery_other partition of events.delivery default;

    -- What waits or is being sent. The row is deleted when the delivery has ended, so the table stays small.
    create table ${described.table} (
      organization_id uuid not null,
      -- The row of the first attempt in events.delivery.
      id uuid not null,
      webhook_id uuid not null,
      -- The row of the last attempt whose outcome was recorded; at first that of the first attempt.
      last_attempt_id uuid not null,
      -- The settings of the webhook at the time of the event.
      attempts_max integer not null,
      retry_delay_seconds integer not null,
      -- Replays and test events do not count as failures, and are also sent while the webhook is turned off.
      is_replay boolean not null,
      is_test boolean not null,
      -- The record and the type of an update that later updates may replace until it is due; otherwise null.
      debounced_record_id uuid,
      debounced_type text,
      traceparent text,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(described)}
    create index delivery_debounced on ${described.table} (organization_id, webhook_id, debounced_record_id)
      where debounced_record_id is not null and attempts = 0;

    -- The organizations with webhooks that are turned on. Events of all others are not read.
    create table events.webhook_subscriber (
      organization_id uuid primary key
    );

    -- A webhook receives the events after this position: the latest one when it was turned on.
    create table events.webhook_start (
      organization_id uuid not null,
      webhook_id uuid not null,
      position bigint not null,
      primary key (organization_id, webhook_id)
    );

    -- In the transaction that turns the webhook on: events get positions after their commit, so none that is committed later is missed.
    create function events.subscribe_webhook() returns trigger language plpgsql as $$
    declare
      head bigint;
      is_first boolean;
    begin
      if not new.is_enabled or new.deleted_at is not null then return null; end if;
      if tg_op = 'UPDATE' and old.is_enabled and old.deleted_at is null then return null; end if;
      select coalesce(max(position), 0) into head from kernel.event_head where organization_id = new.organization_id;
      insert into events.webhook_start (organization_id, webhook_id, position) values (new.organization_id, new.id, head)
        on conflict (organization_id, webhook_id) do update set position = excluded.position;
      -- The update of an existing row locks it against its deletion, which looks for webhooks that are turned on.
      insert into events.webhook_subscriber as s (organization_id) values (new.organization_id)
        on conflict (organization_id) do update set organization_id = s.organization_id
        returning xmax = 0 into is_first;
      if is_first then
        insert into kernel.event_consumer as c (organization_id, name, position) values (new.organization_id, 'webhooks', head)
          on conflict (organization_id, name) do update set position = greatest(c.position, head), failures = 0, retry_at = null;
        perform pg_notify('webhook_subscribers', new.organization_id::text);
      end if;
      return null;
    end $$;
    create trigger webhook_subscribes after insert or update of is_enabled, deleted_at on events.webhook
      for each row execute function events.subscribe_webhook();

    -- The smallest UUIDv7 of a day (UTC).
    create function events.first_id_of(day date) returns uuid language sql immutable as $$
      select rpad(lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0'), 32, '0')::uuid
    $$;

    -- Creates the missing weekly partitions of the log, and moves the rows of these weeks out of the default partition.
    create function events.create_delivery_partitions(first_day date, weeks integer) returns void language plpgsql as $$
    declare
      week date;
      first_id uuid;
      after_id uuid;
      child text;
    begin
      for step in 0 .. weeks loop
        week := date_trunc('week', first_day)::date + 7 * step;
        child := 'delivery_' || to_char(week, 'YYYY_MM_DD');
        continue when to_regclass('events.' || child) is not null;
        first_id := events.first_id_of(week);
        after_id := events.first_id_of(week + 7);
        execute format('create table events.%I (like events.delivery including defaults including indexes)', child);
        execute format(
          'with moved as (delete from events.delivery_other where id >= %L and id < %L returning *) insert into events.%I select * from moved',
          first_id, after_id, child
        );
        execute format('alter table events.delivery attach partition events.%I for values from (%L) to (%L)', child, first_id, after_id);
      end loop;
    end $$;
    select events.create_delivery_partitions(current_date - 7, 5);

    -- The log as clients see it.
    create view events.delivery_shown with (security_invoker = true) as
      select d.organization_id, d.id, d.webhook_id, 'evt_' || d.event_id::text as event_id, d.event_type, d.event_version, d.attempt,
        d.status, d.request_headers::jsonb as request_headers,
        coalesce(d.request_body, (
          select f.request_body from events.delivery f where f.organization_id = d.organization_id and f.id = d.first_id
        )) as request_body,
        d.response_status, d.response_body, d.latency_ms, d.error, d.is_replay, d.is_test, d.created_at, d.next_attempt_at
      from events.delivery d where d.created_at > now() - interval '30 days';
  `,
}

export const earlierEvents: Migration = {
  name: '20261123-events-delivery-earlier-events',
  sql: `
    -- Events that were committed before the webhook was turned on, but had no position yet; at most 1,000.
    alter table events.webhook_start add column earlier_event_ids uuid[] not null default '{}';

    create or replace function events.subscribe_webhook() returns trigger language plpgsql as $$
    declare
      head bigint;
      earlier uuid[];
      is_first boolean;
    begin
      if not new.is_enabled or new.deleted_at is not null then return null; end if;
      if tg_op = 'UPDATE' and old.is_enabled and old.deleted_at is null then return null; end if;
      select coalesce(max(position), 0) into head from kernel.event_head where organization_id = new.organization_id;
      earlier := array(
        select event_id from kernel.event_pending where organization_id = new.organization_id order by sequence limit 1000
      );
      insert into events.webhook_start (organization_id, webhook_id, position, earlier_event_ids)
        values (new.organization_id, new.id, head, earlier)
        on conflict (organization_id, webhook_id)
        do update set position = excluded.position, earlier_event_ids = excluded.earlier_event_ids;
      -- The update of an existing row locks it against its deletion, which looks for webhooks that are turned on.
      insert into events.webhook_subscriber as s (organization_id) values (new.organization_id)
        on conflict (organization_id) do update set organization_id = s.organization_id
        returning xmax = 0 into is_first;
      if is_first then
        insert into kernel.event_consumer as c (organization_id, name, position) values (new.organization_id, 'webhooks', head)
          on conflict (organization_id, name) do update set position = greatest(c.position, head), failures = 0, retry_at = null;
        perform pg_notify('webhook_subscribers', new.organization_id::text);
      end if;
      return null;
    end $$;
  `,
}

export const queueIndexesOfDeliveries: Migration = {
  name: '20261123-events-delivery-queue-indexes',
  sql: `
    -- Ended deliveries are deleted at once, so none is searched by its age.
    drop index if exists events.webhook_delivery_created;

    -- Many deliveries are due at the same millisecond. Without lists of equal entries, those of ended deliveries are removed one by one, which
    -- takes a fraction of the time.
    drop index events.webhook_delivery_fresh, events.webhook_delivery_retry, events.webhook_delivery_not_due, events.webhook_delivery_leased;
    create index webhook_delivery_fresh on ${described.table} (organization_id, webhook_id, next_attempt_at)
      with (deduplicate_items = off) where is_due and attempts = 0;
    create index webhook_delivery_retry on ${described.table} (organization_id, webhook_id, next_attempt_at)
      with (deduplicate_items = off) where is_due and attempts > 0;
    create index webhook_delivery_not_due on ${described.table} (next_attempt_at)
      with (deduplicate_items = off) where state = 'QUEUED' and not is_due;
    create index webhook_delivery_leased on ${described.table} (organization_id, webhook_id)
      with (deduplicate_items = off) where lease_token is not null;
  `,
}
