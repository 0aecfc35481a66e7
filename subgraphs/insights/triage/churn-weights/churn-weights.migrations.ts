import type { Migration } from '../../../kernel/database/migrate.ts'

export const churnWeights: Migration = {
  name: '20261210-insights-churn-weights',
  sql: `
    -- What was known of an account in a month, and whether it churned within three months after it.
    create table insights.churn_observation (
      organization_id uuid not null,
      month date not null,
      account_id uuid not null,
      signals float8[] not null,
      churned boolean not null default false,
      primary key (organization_id, month, account_id)
    );
    create table insights.churn_weights (
      organization_id uuid not null,
      month date not null,
      computed_at timestamptz(3) not null,
      test jsonb not null,
      -- Null: the start weights are used.
      weights jsonb,
      primary key (organization_id, month)
    );
    -- How the payments of the accounts are distributed, as of the beginning of the scan; null for too few.
    alter table insights.triage_scan add column quintiles jsonb;
    alter table insights.triage_case add column model_version text;
  `,
}
