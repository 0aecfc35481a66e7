import type { Migration } from '../../kernel/database/migrate.ts'

export const shownHeaders: Migration = {
  name: '20261124-events-delivery-headers',
  sql: `
    -- The log stores the signature and the names of custom headers; the others follow from the row of the attempt. Rows that are older than this
    -- view have all of them, and what is stored has priority: when the value of a header below changes, attempts must store it from then on.
    create or replace view events.delivery_shown with (security_invoker = true) as
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
        d.response_status, d.response_body, d.latency_ms, d.error, d.is_replay, d.is_test, d.created_at, d.next_attempt_at
      from events.delivery d where d.created_at > now() - interval '30 days';
  `,
}
