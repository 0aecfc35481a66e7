import type { Migration } from '../../kernel/database/migrate.ts'

export const accountBriefTable: Migration = {
  name: '20261129-assistant-account-brief',
  sql: `
    create table assistant.account_brief (
      organization_id uuid not null,
      user_id uuid not null,
      account_id uuid not null,
      summary text not null,
      highlights jsonb not null,
      risks jsonb not null,
      model text not null,
      -- What the user saw when it was written, and the records that it was written from.
      sight text not null,
      records jsonb not null,
      generated_at timestamptz(3) not null,
      primary key (organization_id, user_id, account_id)
    );
    create index account_brief_newest on assistant.account_brief (organization_id, user_id, generated_at desc, account_id);
    create index account_brief_generated on assistant.account_brief (generated_at);
  `,
}
