import type { Migration } from '../../kernel/database/migrate.ts'

export const usageTables: Migration = {
  name: '20261121-identity-usage',
  sql: `
    -- Requests by hour, credential and operation. A column le_<n> counts the answers that took at most n ms and more than the column before.
    create table identity.usage_hour (
      organization_id uuid not null,
      hour timestamptz(0) not null,
      credential_kind text not null,
      credential_id uuid not null,
      operation text not null,
      requests bigint not null,
      rate_limit_hits bigint not null,
      status_2xx bigint not null,
      status_3xx bigint not null,
      status_4xx bigint not null,
      status_5xx bigint not null,
      le_10 bigint not null,
      le_25 bigint not null,
      le_50 bigint not null,
      le_100 bigint not null,
      le_250 bigint not null,
      le_500 bigint not null,
      le_1000 bigint not null,
      le_2500 bigint not null,
      le_5000 bigint not null,
      le_10000 bigint not null,
      primary key (organization_id, credential_kind, credential_id, hour, operation)
    );
    create index usage_hour_hour on identity.usage_hour (organization_id, hour);
    create index usage_hour_age on identity.usage_hour (hour);

    create table identity.deprecated_call (
      organization_id uuid not null,
      credential_kind text not null,
      credential_id uuid not null,
      operation_id text not null,
      day date not null,
      user_id uuid not null,
      endpoint text not null,
      sunset_on date not null,
      calls bigint not null,
      last_at timestamptz(3) not null,
      primary key (organization_id, credential_kind, credential_id, operation_id, day)
    );
    create index deprecated_call_day on identity.deprecated_call (day);

    alter table identity.api_key add column deprecated_calls bigint not null default 0;
  `,
}
