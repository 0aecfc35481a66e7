import type { Migration } from '../database/migrate.ts'

/** The events of an operation are found in the log. The relay writes the index, not the statement of a change. */
export const eventOperation: Migration = {
  name: '20261130-kernel-event-operation',
  sql: `
    alter table kernel.event_pending add column operation_id text;
    alter table kernel.event_log add column operation_id text;
    create index event_log_operation on kernel.event_log (organization_id, operation_id) where operation_id is not null;
    -- The operation whose answer was stored for a key.
    alter table kernel.idempotency add column operation_id text;

    create or replace function kernel.note_pending_events() returns trigger language plpgsql as $$
    begin
      insert into kernel.event_pending (organization_id, event_id, occurred_at, object, record_id, operation_id)
      select organization_id, id, occurred_at, object, record_id, operation_id from new_rows;
      return null;
    end $$;

    -- Assigns positions to one batch of events, notifies listeners of their organizations, and returns the number of positions.
    create or replace function kernel.assign_event_positions(batch integer) returns integer language plpgsql as $$
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
        insert into kernel.event_log (organization_id, position, event_id, occurred_at, object, record_id, operation_id)
        select organization_id, earlier.position + number, event_id, occurred_at, object, record_id, operation_id
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
  `,
}
