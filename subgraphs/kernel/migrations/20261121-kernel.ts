import type { Migration } from '../database/migrate.ts'

export const kernelTables: Migration = {
  name: '20261121-kernel',
  sql: `
    create table kernel.event (
      organization_id uuid not null,
      id uuid not null,
      type text not null,
      version integer not null,
      occurred_at timestamptz(3) not null,
      object text not null,
      record_id uuid not null,
      data jsonb not null,
      actor_id uuid,
      -- Readers follow (transaction_id, position) up to the oldest running transaction, so they miss no event that commits late.
      transaction_id xid8 not null default pg_current_xact_id(),
      position bigint generated always as identity,
      primary key (organization_id, id, occurred_at)
    ) partition by range (occurred_at);
    create index event_position on kernel.event (transaction_id, position);
    create index event_record on kernel.event (organization_id, record_id, occurred_at);
    create table kernel.event_other partition of kernel.event default;

    create function kernel.create_event_partitions(first_day date, months integer) returns void language plpgsql as $$
    declare
      month date;
    begin
      for step in 0 .. months loop
        month := (date_trunc('month', first_day) + make_interval(months => step))::date;
        execute format(
          'create table if not exists kernel.%I partition of kernel.event for values from (%L) to (%L)',
          'event_' || to_char(month, 'YYYY_MM'), month, (month + interval '1 month')::date
        );
      end loop;
    end $$;
    select kernel.create_event_partitions(current_date, 3);

    create table kernel.record_total (
      organization_id uuid not null,
      id bigint generated always as identity,
      object text not null,
      n bigint not null,
      primary key (organization_id, id)
    );
    create index record_total_object on kernel.record_total (organization_id, object) include (n);

    create function kernel.keep_total_of_inserted() returns trigger language plpgsql as $$
    begin
      insert into kernel.record_total (organization_id, object, n)
      select organization_id, tg_argv[0], count(*) from new_rows where deleted_at is null group by organization_id;
      return null;
    end $$;
    create function kernel.keep_total_of_deleted() returns trigger language plpgsql as $$
    begin
      insert into kernel.record_total (organization_id, object, n)
      select organization_id, tg_argv[0], -count(*) from old_rows where deleted_at is null group by organization_id;
      return null;
    end $$;
    create function kernel.keep_total_of_updated() returns trigger language plpgsql as $$
    begin
      insert into kernel.record_total (organization_id, object, n)
      select organization_id, tg_argv[0], sum(change) from (
        select organization_id, -1 as change from old_rows where deleted_at is null
        union all
        select organization_id, 1 from new_rows where deleted_at is null
      ) changes group by organization_id having sum(change) <> 0;
      return null;
    end $$;

    create table kernel.record_number (
      organization_id uuid not null,
      object text not null,
      value integer not null,
      primary key (organization_id, object)
    );

    create table kernel.idempotency (
      organization_id uuid not null,
      id uuid not null,
      credential_id text not null,
      key text not null,
      step text not null,
      fingerprint text not null,
      answer text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, credential_id, key, step)
    );
    create index idempotency_created on kernel.idempotency (created_at);
  `,
}
