import type { Migration } from '../../kernel/database/migrate.ts'

export const dunningTables: Migration = {
  name: '20261124-commerce-dunning',
  sql: `
    create table commerce.dunning_setting (
      organization_id uuid primary key,
      settings jsonb not null,
      version integer not null,
      updated_at timestamptz(3) not null,
      updated_by_id uuid
    );
    -- The runs of an organization by its local day. A run without an end continues at the next tick.
    create table commerce.dunning_run (
      organization_id uuid not null,
      day date not null,
      started_at timestamptz(3) not null,
      finished_at timestamptz(3),
      primary key (organization_id, day)
    );
  `,
}

export const dunningCursor: Migration = {
  name: '20261125-commerce-dunning-cursor',
  sql: `
    -- The last invoice that the run has handled, and whether one of the invoices up to it failed.
    alter table commerce.dunning_run
      add column after_due_date timestamptz(3),
      add column after_id uuid,
      add column has_failures boolean not null default false;
  `,
}

export const dunningInterest: Migration = {
  name: '20261127-commerce-dunning-interest',
  sql: `
    alter table commerce.invoice add column dunning_interest numeric not null default 0;
  `,
}

export const dunningWait: Migration = {
  name: '20261201-commerce-dunning-wait',
  sql: `
    -- When the run goes on for which the mails of the organization were used up.
    alter table commerce.dunning_run add column resume_at timestamptz(3);
  `,
}
