import type { Migration } from '../../kernel/database/migrate.ts'

export const exchangeRateTable: Migration = {
  name: '20261122-identity-exchange-rate',
  sql: `
    create table identity.exchange_rate (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      base_currency text not null,
      currency text not null,
      -- Days as YYYY-MM-DD sort as dates do.
      date text not null check (date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
      rate numeric not null check (rate > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create unique index exchange_rate_key on identity.exchange_rate (organization_id, base_currency, currency, date)
      include (rate);
  `,
}
