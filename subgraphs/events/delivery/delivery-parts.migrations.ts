import type { Migration } from '../../kernel/database/migrate.ts'
import { described } from './delivery-table.ts'

const columns = `organization_id, id, webhook_id, event_id, event_type, event_version, attempt, status, request_headers, request_body,
        response_status, response_body, latency_ms, error, is_replay, is_test, created_at, next_attempt_at, body_rights`

/**
 * The text that was sent: of a part, that of its base with the members of the part at the end of `data`. A subquery for each body, because a join
 * reads all bodies of the organization while the statistics say that there are few.
 */
const textOf = (row: string): string => `(
            select case when b.base_id is null then b.body else left((
              select base.body from events.delivery_body base where base.organization_id = b.organization_id and base.id = b.base_id
            ), -2) || ',' || b.body || '}}' end
            from events.delivery_body b where b.organization_id = ${row}.organization_id and b.id = ${row}.body_id
          )`

const rightsOf = (row: string): string =>
  `(select b.rights from events.delivery_body b where b.organization_id = ${row}.organization_id and b.id = ${row}.body_id)`

const shownOfQueue = (condition: string): string => `
        select q.organization_id, q.id, q.webhook_id, 'evt_' || q.event_id::text, q.event_type, q.event_version, 1,
          'PENDING'::text, null::jsonb, ${textOf('q')},
          null::integer, null::text, null::integer, null::text, q.is_replay, q.is_test, q.created_at,
          (case when q.attempts = 0 and not q.is_due then q.next_attempt_at end)::timestamptz(3), ${rightsOf('q')}, ${condition}
        from ${described.table} q`

export const partsOfBodies: Migration = {
  name: '20261128-events-delivery-body-parts',
  sql: `
    -- A row with a base is a part: its body has the members that are sent at the end of data in the base, without braces. So a selection does
    -- not repeat the event, and webhooks that select the same share the part as well.
    alter table events.delivery_body
      add column base_id uuid,
      -- The rights as which the part was read, as a digest; null for bodies that have everything in the event.
      add column rights text,
      -- Bytes of the large parts of this body.
      add column part_bytes integer not null default 0;

    -- The name of the former column is not kept, so that a process of an earlier release cannot lease an item and send a part as if it were a body.
    alter table ${described.table} rename column failed_attempts to attempts_failed;

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
          coalesce(d.request_body, ${textOf('d')}, (
            select f.request_body from events.delivery f where f.organization_id = d.organization_id and f.id = d.first_id
          )) as request_body,
          d.response_status, d.response_body, d.latency_ms, d.error, d.is_replay, d.is_test, d.created_at, d.next_attempt_at,
          ${rightsOf('d')} as body_rights, d.created_at > now() - interval '30 days' as is_shown
        from events.delivery d
        union all ${shownOfQueue('q.attempts = 0')}
        union all ${shownOfQueue('q.attempts > 0 and q.logged_id is null and q.lease_token is not null')}
      ) shown where is_shown;
  `,
}
