import type { Migration } from '../../kernel/database/migrate.ts'

export const engagementUse: Migration = {
  name: '20261128-insights-engagement-use',
  sql: `
    create table insights.engagement_use (
      organization_id uuid primary key,
      computations bigint not null,
      entities bigint not null,
      hits bigint not null,
      -- Number of computations for each upper bound of their time.
      durations bigint[] not null
    );
    create table insights.engagement_answer (
      organization_id uuid not null,
      digest bytea not null,
      answer text not null,
      computed_at timestamptz(3) not null,
      primary key (organization_id, digest)
    );
    create index engagement_answer_by_time on insights.engagement_answer (computed_at);
  `,
}
