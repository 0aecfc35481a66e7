import type { Migration } from '../../kernel/database/migrate.ts'

export const snapshotTables: Migration = {
  name: '20261128-insights-forecast-snapshot',
  sql: `
    create table insights.forecast_snapshot (
      organization_id uuid not null,
      id uuid not null,
      taken_at timestamptz(3) not null,
      source text not null,
      user_id uuid not null,
      period text not null,
      period_type text not null,
      currency text not null,
      closed numeric not null,
      commit numeric not null,
      best_case numeric not null,
      pipeline numeric not null,
      weighted numeric not null,
      opportunities integer not null,
      deal_lines_hash text not null,
      primary key (organization_id, id)
    );
    create index forecast_snapshot_taken on insights.forecast_snapshot (organization_id, taken_at, id);
    create index forecast_snapshot_user on insights.forecast_snapshot (organization_id, user_id, period, taken_at, id);
    create index forecast_snapshot_period on insights.forecast_snapshot (organization_id, period, taken_at, id);
    create index forecast_snapshot_old on insights.forecast_snapshot (taken_at) where source = 'DAILY';

    -- The last local day for which an organization has daily snapshots.
    create table insights.forecast_day (
      organization_id uuid primary key,
      day text not null
    );
  `,
}
