import type { Migration } from '../../kernel/database/migrate.ts'
import {
  columnIndexes,
  dropMaintainedCountTriggers,
  maintainedCountTriggers,
  maintainedTotals,
  recordColumns,
  recordIndexes,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const accountTable: Migration = {
  name: '20261121-crm-account',
  sql: `
    create table crm.account (${recordColumns},
      name text not null,
      type text,
      industry text,
      website text,
      domain text,
      phone text,
      fax text,
      description text,
      parent_account_id uuid,
      legacy_crm_id text,
      number_of_employees integer,
      annual_revenue numeric,
      billing_street text,
      billing_city text,
      billing_state text,
      billing_postal_code text,
      billing_country text,
      shipping_street text,
      shipping_city text,
      shipping_state text,
      shipping_postal_code text,
      shipping_country text,
      account_status text not null,
      rating text,
      health_score double precision,
      lifetime_value numeric,
      churn_risk text,
      pain_points text[] not null default '{}',
      tech_stack text[] not null default '{}',
      competitors text[] not null default '{}',
      is_strategic boolean not null default false,
      tier text,
      region text,
      last_activity_date timestamptz(3),
      next_activity_date timestamptz(3)
    );
    ${recordIndexes('crm.account', 'account')}
    create index account_owner on crm.account (organization_id, owner_id, created_at, id) where deleted_at is null;
    create index account_name on crm.account (organization_id, name, id) where deleted_at is null;
    create index account_revenue on crm.account (organization_id, annual_revenue desc nulls last, id desc) where deleted_at is null;
    create index account_parent on crm.account (organization_id, parent_account_id, created_at, id) where deleted_at is null;
    ${maintainedCountTriggers('crm.account', 'account')}
  `,
}

export const accountIndexes: Migration = {
  name: '20261122-crm-account-indexes',
  sql: `
    drop index crm.account_name;
    drop index crm.account_revenue;
    drop index crm.account_updated;
    ${searchIndex('crm.account', 'account', ['name', 'domain', 'website', 'industry', 'billing_city'])}
    ${columnIndexes('crm.account', 'account', [
      'updated_at',
      'external_id',
      'name',
      'type',
      'industry',
      'domain',
      'legacy_crm_id',
      'number_of_employees',
      'annual_revenue',
      'billing_city',
      'billing_state',
      'billing_country',
      'account_status',
      'rating',
      'health_score',
      'lifetime_value',
      'churn_risk',
      'is_strategic',
      'tier',
      'region',
      'last_activity_date',
      'next_activity_date',
    ])}
  `,
}

export const accountTotals: Migration = {
  name: '20261122-crm-account-totals',
  sql: `
    ${dropMaintainedCountTriggers('crm.account', 'account')}
    ${maintainedTotals('crm.account', {
      by: ['type', 'account_status', 'rating', 'churn_risk', 'is_strategic'],
      separately: ['industry'],
      measures: {
        annual_revenue: 'annual_revenue',
        health_score: 'health_score::numeric',
        with_health_score: '(health_score is not null)::int',
      },
    })}
  `,
}
