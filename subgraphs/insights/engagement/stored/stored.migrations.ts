import type { Migration } from '../../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../../kernel/outbox/event-consumer.ts'

/** SQL of the first version, written out, because a migration that has run must not change. */
const points = `(case
    when a.is_automated then 0
    when a.type in ('EMAIL', 'SMS', 'CHAT') and a.direction is distinct from 'INBOUND' and a.outcome is distinct from 'REPLIED' then 0
    when a.type = 'CALL' and coalesce(a.outcome, '') not in ('CONNECTED', 'COMPLETED') then 0
    when a.type = 'MEETING' and a.outcome = 'NO_SHOW' then 0
    else case a.type when 'MEETING' then 10 when 'FORM_SUBMISSION' then 8 when 'EMAIL' then 6 when 'CALL' then 6 when 'SMS' then 6
      when 'CHAT' then 6 when 'EVENT_ATTENDANCE' then 6 when 'DOCUMENT_VIEW' then 3 when 'WEB_VISIT' then 1.5 else 0 end
      * case a.sentiment when 'NEUTRAL' then 0.7 when 'NEGATIVE' then 0.1 else 1 end
  end)::float8`

const columns = [
  'meeting',
  'form_submission',
  'email',
  'call',
  'sms',
  'chat',
  'event_attendance',
  'document_view',
  'web_visit',
]

const filled = ({ object, link, halfLife }: { object: string; link: string; halfLife: number }): string => `
    insert into insights.engagement (organization_id, object, record_id, ${columns.join(', ')}, total, next_at, rebuilt_at)
    select organization_id, '${object}', ${link},
      ${columns.map((column) => `coalesce(sum(points) filter (where type = '${column.toUpperCase()}' and is_past), 0)`).join(', ')},
      coalesce(sum(points) filter (where is_past), 0), min(occurred_at) filter (where not is_past and points > 0), now()
    from (
      select a.organization_id, a.${link}, a.type, a.occurred_at, a.occurred_at <= now() as is_past,
        ${points} * power(2::float8, least(1000, greatest(-400,
          date_part('epoch', a.occurred_at - timestamptz '2026-01-01T00:00:00Z') / 86400 / ${halfLife}))) as points
      from crm.activity a where a.deleted_at is null and a.${link} is not null
    ) one group by organization_id, ${link};`

export const storedEngagement: Migration = {
  name: '20261128-insights-engagement',
  sql: `
    create table insights.engagement (
      organization_id uuid not null,
      object text not null,
      record_id uuid not null,
      ${columns.map((column) => `${column} float8 not null,`).join('\n      ')}
      -- The sum of the channels. Decay is the same factor for all rows, so it orders engagement at any time.
      total float8 not null,
      -- When the first activity in the future will have happened.
      next_at timestamptz(3),
      -- When the sums were computed from all activities; later ones were added.
      rebuilt_at timestamptz(3) not null,
      primary key (organization_id, object, record_id)
    );
    create index engagement_by_total on insights.engagement (organization_id, object, total, record_id);
    create index engagement_by_next on insights.engagement (next_at) where next_at is not null;
    create table insights.engagement_k (
      organization_id uuid not null,
      object text not null,
      k float8 not null,
      computed_at timestamptz(3) not null,
      primary key (organization_id, object)
    );
    ${filled({ object: 'account', link: 'account_id', halfLife: 30 })}
    ${filled({ object: 'contact', link: 'contact_id', halfLife: 30 })}
    ${filled({ object: 'lead', link: 'lead_id', halfLife: 14 })}
    ${beginWithNextEvent('engagement')}
  `,
}
