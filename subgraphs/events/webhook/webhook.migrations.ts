import type { Migration } from '../../kernel/database/migrate.ts'

export const webhookTable: Migration = {
  name: '20261122-events-webhook',
  sql: `
    create table events.webhook (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      url text not null,
      events text[] not null,
      is_enabled boolean not null,
      payload_version integer not null,
      retry_attempts integer not null,
      retry_delay_seconds integer not null,
      -- The names of the custom headers, each with null.
      headers jsonb not null,
      -- The names and values as sealed JSON; null without headers.
      sealed_headers text,
      named_credential_id uuid,
      fields text[] not null default '{}',
      conditions jsonb,
      debounce_seconds integer not null,
      skip_own boolean not null,
      selection text,
      -- Null after the webhook was deleted.
      sealed_secret text,
      -- The secret before the last rotation; it signs until previous_secret_expires_at.
      sealed_previous_secret text,
      previous_secret_expires_at timestamptz(3),
      disabled_at timestamptz(3),
      disabled_reason text,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, owner_id) references identity.app_user (organization_id, id)
    );
    create index webhook_created on events.webhook (organization_id, created_at, id) where deleted_at is null;

    -- What every delivery changes. It is a table of its own, so that a delivery changes neither the webhook nor its version.
    create table events.webhook_state (
      organization_id uuid not null,
      webhook_id uuid not null,
      -- Events in a row that failed every attempt.
      consecutive_failures integer not null default 0,
      -- When the last attempt ended, the status of its delivery, and the HTTP status of the answer (null without an answer).
      last_delivery_at timestamptz(3),
      last_status text,
      last_response_status integer,
      primary key (organization_id, webhook_id),
      foreign key (organization_id, webhook_id) references events.webhook (organization_id, id) on delete cascade
    ) with (fillfactor = 50);

    -- Increased by every change of a webhook of the organization, so that senders know when to read them again.
    create table events.webhook_version (
      organization_id uuid primary key,
      version bigint not null
    );

    create function events.webhook_changed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into events.webhook_state (organization_id, webhook_id) values (new.organization_id, new.id);
      elsif new.is_enabled and not old.is_enabled then
        update events.webhook_state set consecutive_failures = 0
        where organization_id = new.organization_id and webhook_id = new.id;
      end if;
      insert into events.webhook_version as v (organization_id, version) values (new.organization_id, 1)
        on conflict (organization_id) do update set version = v.version + 1;
      return null;
    end $$;
    create trigger webhook_changed after insert or update on events.webhook
      for each row execute function events.webhook_changed();

    -- A webhook with its state. Subqueries, so that a lock of a webhook does not lock its state.
    create view events.webhook_with_state with (security_invoker = true) as
      select w.*,
        (select s.consecutive_failures from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as consecutive_failures,
        (select s.last_delivery_at from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_delivery_at,
        (select s.last_status from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_status,
        (select s.last_response_status from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_response_status,
        not exists (
          select from identity.app_user u where u.organization_id = w.organization_id and u.id = w.owner_id
            and u.is_active and u.left_at is null and u.role in ('OWNER', 'ADMIN')
        ) as is_paused
      from events.webhook w;
  `,
}

export const emptySelections: Migration = {
  name: '20261128-events-webhook-empty-selections',
  sql: `
    -- An empty text selects nothing; it is refused.
    update events.webhook set selection = null where btrim(selection, E' \\t\\r\\n,') = '';
  `,
}

export const webhookConditions: Migration = {
  name: '20261122-events-webhook-conditions',
  sql: `
    update events.webhook set conditions = '[]' where conditions is null;
    alter table events.webhook alter column conditions set not null, alter column conditions set default '[]';
    alter table events.webhook add column logic text not null default 'AND';
    drop view events.webhook_with_state;
    create view events.webhook_with_state with (security_invoker = true) as
      select w.*,
        (select s.consecutive_failures from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as consecutive_failures,
        (select s.last_delivery_at from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_delivery_at,
        (select s.last_status from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_status,
        (select s.last_response_status from events.webhook_state s
         where s.organization_id = w.organization_id and s.webhook_id = w.id) as last_response_status,
        not exists (
          select from identity.app_user u where u.organization_id = w.organization_id and u.id = w.owner_id
            and u.is_active and u.left_at is null and u.role in ('OWNER', 'ADMIN')
        ) as is_paused
      from events.webhook w;
  `,
}
