import type { Migration } from '../../kernel/database/migrate.ts'

export const deliveryBodies: Migration = {
  name: '20261123-events-delivery-body',
  sql: `
    -- The bodies of deliveries. Deliveries of an event whose bodies are the same text share one, and so do those that are sent again.
    create table events.delivery_body (
      organization_id uuid not null,
      id uuid not null,
      body text not null,
      primary key (organization_id, id)
    ) partition by range (id);
    create table events.delivery_body_other partition of events.delivery_body default;

    -- Null if the body was too large; rows that are older than this column have their body in request_body.
    alter table events.delivery add column body_id uuid;

    -- Creates the missing weekly partitions of the log and of its bodies, and moves the rows of these weeks out of the default partitions.
    create or replace function events.create_delivery_partitions(first_day date, weeks integer) returns void language plpgsql as $$
    declare
      parent text;
      week date;
      first_id uuid;
      after_id uuid;
      child text;
    begin
      foreach parent in array array['delivery', 'delivery_body'] loop
        for step in 0 .. weeks loop
          week := date_trunc('week', first_day)::date + 7 * step;
          child := parent || '_' || to_char(week, 'YYYY_MM_DD');
          continue when to_regclass('events.' || child) is not null;
          first_id := events.first_id_of(week);
          after_id := events.first_id_of(week + 7);
          execute format('create table events.%I (like events.%I including defaults including indexes)', child, parent);
          execute format(
            'with moved as (delete from events.%I where id >= %L and id < %L returning *) insert into events.%I select * from moved',
            parent || '_other', first_id, after_id, child
          );
          execute format('alter table events.%I attach partition events.%I for values from (%L) to (%L)', parent, child, first_id, after_id);
        end loop;
      end loop;
    end $$;
    select events.create_delivery_partitions(current_date - 7, 5);

    create or replace view events.delivery_shown with (security_invoker = true) as
      select d.organization_id, d.id, d.webhook_id, 'evt_' || d.event_id::text as event_id, d.event_type, d.event_version, d.attempt,
        d.status, d.request_headers::jsonb as request_headers,
        coalesce(d.request_body, (
          select b.body from events.delivery_body b where b.organization_id = d.organization_id and b.id = d.body_id
        ), (
          select f.request_body from events.delivery f where f.organization_id = d.organization_id and f.id = d.first_id
        )) as request_body,
        d.response_status, d.response_body, d.latency_ms, d.error, d.is_replay, d.is_test, d.created_at, d.next_attempt_at
      from events.delivery d where d.created_at > now() - interval '30 days';
  `,
}
