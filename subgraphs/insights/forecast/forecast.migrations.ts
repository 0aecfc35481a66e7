import type { Migration } from '../../kernel/database/migrate.ts'

export const forecastTable: Migration = {
  name: '20261128-insights-forecast',
  sql: `
    create table insights.forecast (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      period text not null,
      period_type text not null,
      commit numeric check (commit >= 0),
      best_case numeric check (best_case >= 0),
      pipeline numeric check (pipeline >= 0),
      currency text not null,
      notes text,
      revision integer not null,
      submitted_at timestamptz(3) not null,
      submitted_by_id uuid,
      counted_closed numeric not null,
      counted_commit numeric not null,
      counted_best_case numeric not null,
      counted_pipeline numeric not null,
      counted_user_ids text[] not null,
      primary key (organization_id, id)
    );
    create unique index forecast_revision on insights.forecast (organization_id, user_id, period, revision);
    create index forecast_period on insights.forecast (organization_id, period, submitted_at, id);
    create index forecast_submitted on insights.forecast (organization_id, submitted_at, id);
  `,
}
