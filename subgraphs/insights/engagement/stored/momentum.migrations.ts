import type { Migration } from '../../../kernel/database/migrate.ts'

export const storedMomentum: Migration = {
  name: '20261210-insights-engagement-momentum',
  sql: `
    alter table insights.engagement
      -- Points of the last 14 days, the 14 before and the 14 before those, as of the last hour.
      add column last_points float8 not null default 0,
      add column previous_points float8 not null default 0,
      add column earlier_points float8 not null default 0,
      add column velocity float8 not null default 0;
    create index engagement_by_velocity on insights.engagement (organization_id, object, velocity, record_id) where total > 0;
  `,
}
