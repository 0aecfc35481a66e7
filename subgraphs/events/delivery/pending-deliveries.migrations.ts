import type { Migration } from '../../kernel/database/migrate.ts'
import { described } from './delivery-table.ts'

const columns = `organization_id, id, webhook_id, event_id, event_type, event_version, attempt, status, request_headers, request_body,
        response_status, response_body, latency_ms, error, is_replay, is_test, created_at, next_attempt_at`

/** The time of the first attempt is shown while further updates may replace it. */
const shownOfQueue = (condition: string): string => `
        select q.organization_id, q.id, q.webhook_id, 'evt_' || q.event_id::text, q.event_type, q.event_version, 1,
          'PENDING'::text, null::jsonb,
          (select b.body from events.delivery_body b where b.organization_id = q.organization_id and b.id = q.body_id),
          null::integer, null::text, null::integer, null::text, q.is_replay, q.is_test, q.created_at,
          (case when q.attempts = 0 and not q.is_due then q.next_attempt_at end)::timestamptz(3), ${condition}
        from ${described.table} q`

export const pendingDeliveries: Migration = {
  name: '20261124-events-delivery-pending',
  sql: `
    -- The queue has what an attempt sends, and the log gets the row of an attempt when its outcome is recorded: each delivery is written to the
    -- log once, and not a second time as soon as it has been sent. The name of the former column is not kept, so that a process of an earlier
    -- release cannot lease an item without knowing this: it reports an error until it is replaced.
    alter table ${described.table}
      add column event_id uuid,
      add column event_type text,
      add column event_version integer,
      add column body_id uuid,
      -- Its length as it is sent.
      add column body_bytes integer,
      -- The last attempt that is in the log; null before the first one.
      add column logged_id uuid;
    insert into events.delivery_body (organization_id, id, body)
      select d.organization_id, d.id, d.request_body from ${described.table} q
      join events.delivery d on d.organization_id = q.organization_id and d.id = q.id
      where d.request_body is not null;
    update ${described.table} q set event_id = d.event_id, event_type = d.event_type, event_version = d.event_version,
        body_id = case when d.request_body is null then d.body_id else d.id end,
        logged_id = case when d.status = 'PENDING' then null else q.last_attempt_id end
      from events.delivery d where d.organization_id = q.organization_id and d.id = q.id;
    delete from events.delivery d using ${described.table} q
      where d.organization_id = q.organization_id and d.id = q.id and d.status = 'PENDING';
    update ${described.table} q set body_bytes = octet_length(b.body)
      from events.delivery_body b where b.organization_id = q.organization_id and b.id = q.body_id;
    -- Deliveries without a row in the log, or without a body: none can be sent.
    delete from ${described.table} where body_bytes is null;
    alter table ${described.table}
      alter column event_id set not null,
      alter column event_type set not null,
      alter column event_version set not null,
      alter column body_id set not null,
      alter column body_bytes set not null,
      drop column last_attempt_id;
    create index webhook_delivery_pending on ${described.table} (organization_id, webhook_id, created_at, id) where attempts = 0;

    -- The log as clients see it: the attempts whose outcome is known, then the deliveries that wait for their first attempt, by an index of their
    -- own, then those whose first attempt is running or was lost with its worker, of which there are as many as slots of workers. The conditions
    -- of the parts are a column, because PostgreSQL merges the parts along their indexes only if they have no conditions themselves.
    create or replace view events.delivery_shown with (security_invoker = true) as
      select ${columns} from (
        select d.organization_id, d.id, d.webhook_id, 'evt_' || d.event_id::text as event_id, d.event_type, d.event_version, d.attempt,
          d.status,
          jsonb_build_object(
            'Content-Type', 'application/json',
            'User-Agent', 'crm-webhooks/1',
            'X-Service-Event', d.event_type,
            'X-Service-Event-Id', 'evt_' || d.event_id::text,
            'X-Service-Event-Version', d.event_version::text,
            'X-Service-Delivery', d.id::text,
            'X-Service-Attempt', d.attempt::text
          ) || d.request_headers::jsonb as request_headers,
          coalesce(d.request_body, (
            select b.body from events.delivery_body b where b.organization_id = d.organization_id and b.id = d.body_id
          ), (
            select f.request_body from events.delivery f where f.organization_id = d.organization_id and f.id = d.first_id
          )) as request_body,
          d.response_status, d.response_body, d.latency_ms, d.error, d.is_replay, d.is_test, d.created_at, d.next_attempt_at,
          d.created_at > now() - interval '30 days' as is_shown
        from events.delivery d
        union all ${shownOfQueue('q.attempts = 0')}
        union all ${shownOfQueue('q.attempts > 0 and q.logged_id is null and q.lease_token is not null')}
      ) shown where is_shown;
  `,
}

export const failedAttempts: Migration = {
  name: '20261127-events-delivery-failed-attempts',
  sql: `
    alter table ${described.table} add column failed_attempts integer not null default 0;
    update ${described.table} set failed_attempts = attempts - case when lease_token is null then 0 else 1 end where attempts > 0;
  `,
}
