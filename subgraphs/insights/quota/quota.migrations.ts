import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'

export const quotaTable: Migration = {
  name: '20261128-insights-quota',
  sql: `
    create table insights.quota (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid,
      team_id uuid,
      period text not null,
      period_type text not null,
      target numeric not null check (target >= 0),
      currency text not null,
      start_date text,
      end_date text,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      primary key (organization_id, id),
      check ((user_id is null) <> (team_id is null))
    );
    create unique index quota_user on insights.quota (organization_id, user_id, period) where user_id is not null;
    create unique index quota_team on insights.quota (organization_id, team_id, period) where team_id is not null;
    create index quota_period on insights.quota (organization_id, period, created_at, id);
    create index quota_created on insights.quota (organization_id, created_at, id);
  `,
}

export const quotaAttainedTable: Migration = {
  name: '20261128-insights-quota-attained',
  sql: `
    create table insights.quota_attained (
      organization_id uuid not null,
      quota_id uuid not null,
      primary key (organization_id, quota_id),
      foreign key (organization_id, quota_id) references insights.quota (organization_id, id) on delete cascade
    );
    ${beginWithNextEvent('quota_attained')}
  `,
}
