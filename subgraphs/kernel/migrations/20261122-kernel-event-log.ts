import type { Migration } from '../database/migrate.ts'

/**
 * Positions for events. A row of `kernel.event` is written once and never changed. A trigger adds it to `kernel.event_pending`, and
 * `kernel.assign_event_positions` moves it to `kernel.event_log` after its commit.
 */
export const eventLogTables: Migration = {
  name: '20261122-kernel-event-log',
  sql: `
    -- The position of every committed event in the log of its organization: 1, 2, 3 ... without gaps.
    create table kernel.event_log (
      organization_id uuid not null,
      position bigint not null,
      event_id uuid not null,
      -- The time of the event: finds its partition, and puts this row into the same month.
      occurred_at timestamptz(3) not null,
      object text not null,
      record_id uuid not null,
      primary key (organization_id, position, occurred_at)
    ) partition by range (occurred_at);
    create index event_log_record on kernel.event_log (organization_id, record_id, position);
    create table kernel.event_log_other partition of kernel.event_log default;

    -- The latest position of each organization. It is kept when old partitions are dropped, so no position is assigned twice.
    create table kernel.event_head (
      organization_id uuid primary key,
      position bigint not null
    );

    -- Events without a position. The sequence is the order of the inserts; readers never get it.
    create table kernel.event_pending (
      sequence bigint generated always as identity,
      organization_id uuid not null,
      event_id uuid not null,
      occurred_at timestamptz(3) not null,
      object text not null,
      record_id uuid not null,
      primary key (sequence, organization_id)
    );

    insert into kernel.event_log (organization_id, position, event_id, occurred_at, object, record_id)
    select organization_id, row_number() over (partition by organization_id order by transaction_id, position),
      id, occurred_at, object, record_id
    from kernel.event;
    insert into kernel.event_head (organization_id, position)
    select organization_id, max(position) from kernel.event_log group by organization_id;

    drop index kernel.event_position;
    drop index kernel.event_record;
    alter table kernel.event drop column transaction_id, drop column position;

    create function kernel.note_pending_events() returns trigger language plpgsql as $$
    begin
      insert into kernel.event_pending (organization_id, event_id, occurred_at, object, record_id)
      select organization_id, id, occurred_at, object, record_id from new_rows;
      return null;
    end $$;
    create trigger event_is_pending after insert on kernel.event referencing new table as new_rows
      for each statement execute function kernel.note_pending_events();

    -- Assigns positions to one batch of events, notifies listeners of their organizations, and returns the number of positions.
    create function kernel.assign_event_positions(batch integer) returns integer language plpgsql as $$
    declare
      assigned integer;
    begin
      -- One caller at a time. The next statement sees everything that the caller before has committed.
      perform pg_advisory_xact_lock(7211122);
      with taken as (
        delete from kernel.event_pending
        where ctid = any (array(select ctid from kernel.event_pending order by sequence limit batch))
        returning *
      ), numbered as (
        select *, row_number() over (partition by organization_id order by sequence) as number from taken
      ), head as (
        insert into kernel.event_head as head (organization_id, position)
        select organization_id, count(*) from taken group by organization_id
        on conflict (organization_id) do update set position = head.position + excluded.position
        returning organization_id, position
      ), earlier as (
        select organization_id, head.position - count(*) as position
        from head join taken using (organization_id) group by organization_id, head.position
      ), logged as (
        insert into kernel.event_log (organization_id, position, event_id, occurred_at, object, record_id)
        select organization_id, earlier.position + number, event_id, occurred_at, object, record_id
        from numbered join earlier using (organization_id)
        order by organization_id, number
        returning organization_id
      ), told as (
        -- A payload of NOTIFY has less than 8,000 bytes.
        select pg_notify('events_logged', string_agg(organization_id::text, ','))
        from (select organization_id, (row_number() over () - 1) / 200 as part from head) parts group by part
      )
      select count(*) into assigned from logged where (select count(*) from told) > 0;
      return assigned;
    end $$;

    -- Creates the missing partitions, beginning with the month of first_day, and moves the rows of these months out of the default
    -- partition. Attaching locks only the default partition; creating a partition in place would lock the whole table.
    create or replace function kernel.create_event_partitions(first_day date, months integer) returns void language plpgsql as $$
    declare
      parent text;
      child text;
      month date;
      month_after date;
    begin
      for step in 0 .. months loop
        month := (date_trunc('month', first_day) + make_interval(months => step))::date;
        month_after := (month + interval '1 month')::date;
        foreach parent in array array['event', 'event_log'] loop
          child := parent || '_' || to_char(month, 'YYYY_MM');
          continue when to_regclass('kernel.' || child) is not null;
          execute format('create table kernel.%I (like kernel.%I including defaults including indexes)', child, parent);
          execute format(
            'with moved as (delete from kernel.%I where occurred_at >= %L and occurred_at < %L returning *) insert into kernel.%I select * from moved',
            parent || '_other', month, month_after, child
          );
          execute format(
            'alter table kernel.%I attach partition kernel.%I for values from (%L) to (%L)', parent, child, month, month_after
          );
        end loop;
      end loop;
    end $$;
    -- Also the last month: the log that was filled above has rows of it.
    select kernel.create_event_partitions((current_date - interval '1 month')::date, 4);
  `,
}
