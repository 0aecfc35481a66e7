import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'

const values = `
      recency float8,
      momentum float8,
      stage_pace float8,
      multi_threading float8,
      close_date float8,
      next_step float8,
      qualification float8,
      reply_ratio float8,`

export const dealScoreTables: Migration = {
  name: '20261128-insights-deal-score',
  sql: `
    create table insights.deal_score (
      organization_id uuid not null,
      deal_id uuid not null,
      -- The factors, 0 to 1; null until they are computed for the first time.${values}
      -- What the deal was like when they were computed: a deal that differs is computed again.
      deal_version integer,
      last_activity_date timestamptz(3),
      next_activity_date timestamptz(3),
      computed_at timestamptz(3),
      -- Something else has changed on which the factors depend.
      is_dirty boolean not null,
      primary key (organization_id, deal_id)
    );
    create index deal_score_dirty on insights.deal_score (organization_id, deal_id) where is_dirty;
    -- The first factors of each day in the time zone of the organization.
    create table insights.deal_score_day (
      organization_id uuid not null,
      deal_id uuid not null,
      day date not null,${values}
      primary key (organization_id, deal_id, day)
    );
    create index deal_score_day_age on insights.deal_score_day (day);
    -- What is known from the closed deals of an organization, counted daily.
    create table insights.deal_model (
      organization_id uuid primary key,
      computed_at timestamptz(3)
    );
    create table insights.deal_stage (
      organization_id uuid not null,
      pipeline_id uuid not null,
      stage text not null,
      -- Won deals that were in the stage.
      won integer not null,
      -- Medians of the days in the stage, and of the days from its beginning until the deal was won.
      median_days float8 not null,
      median_remaining float8 not null,
      -- Quantiles of the days until the deal was won.
      remaining float8[] not null,
      primary key (organization_id, pipeline_id, stage)
    );
    create table insights.deal_outcome (
      organization_id uuid not null,
      pipeline_id uuid not null,
      stage text not null,
      -- Zeros for deals without an owner.
      owner_id uuid not null,
      won integer not null,
      closed integer not null,
      primary key (organization_id, pipeline_id, stage, owner_id)
    );
    ${beginWithNextEvent('dealScore')}
  `,
}
