import type { Migration } from '../../kernel/database/migrate.ts'
import { customFieldsIndex, listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const triageTables: Migration = {
  name: '20261203-insights-triage',
  sql: `
    create table insights.triage_case (${recordColumns},
      account_id uuid not null,
      status text not null,
      severity text,
      risk_score double precision,
      churn_risk text,
      revenue_at_risk numeric,
      currency text,
      urgency double precision,
      plan text,
      ignored_until timestamptz(3),
      ignore_reason text,
      ignored_at timestamptz(3),
      resolution text,
      opened_at timestamptz(3) not null,
      resolved_at timestamptz(3),
      computed_at timestamptz(3) not null,
      notifies_owner boolean not null default false,
      stored_signals jsonb not null default '[]',
      stored_actions jsonb not null default '[]'
    );
    ${listIndexes('insights.triage_case', 'triage_case', [
      'account_id',
      'status',
      'severity',
      'risk_score',
      'churn_risk',
      'revenue_at_risk',
      'urgency',
      'opened_at',
      'resolved_at',
    ])}
    ${customFieldsIndex('insights.triage_case', 'triage_case')}
    -- Two scans, or a scan and a repeated one after a crash, open one case.
    create unique index triage_case_unresolved on insights.triage_case (organization_id, account_id)
      where status <> 'RESOLVED' and deleted_at is null;

    create table insights.triage_config (
      organization_id uuid not null primary key,
      settings jsonb not null,
      updated_at timestamptz(3) not null
    );

    -- The scans of an organization: when the next one begins, and how far the running one has come.
    create table insights.triage_scan (
      organization_id uuid not null primary key,
      next_at timestamptz(3) not null,
      requested_at timestamptz(3),
      started_at timestamptz(3),
      after_id uuid,
      finished_at timestamptz(3),
      accounts integer not null default 0,
      opened integer not null default 0,
      resolved integer not null default 0
    );
    create index triage_scan_due on insights.triage_scan (next_at);
    create index triage_scan_begun on insights.triage_scan (organization_id) where started_at is not null or requested_at is not null;

    -- Risk and health of each account and day, for trends and for the fall of the health.
    create table insights.triage_risk (
      organization_id uuid not null,
      account_id uuid not null,
      day date not null,
      risk double precision not null,
      health double precision,
      revenue_at_risk numeric,
      primary key (organization_id, account_id, day)
    );
    create index triage_risk_day on insights.triage_risk (organization_id, day);
  `,
}
