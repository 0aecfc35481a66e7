import type { Migration } from '../database/migrate.ts'

export const modelTokensTable: Migration = {
  name: '20261128-kernel-model-tokens',
  sql: `
    -- Tokens of language models that each user has used or reserved on each day (UTC).
    create table kernel.model_tokens (
      organization_id uuid not null,
      user_id uuid not null,
      day date not null,
      tokens bigint not null,
      primary key (organization_id, user_id, day)
    );
    create index model_tokens_day on kernel.model_tokens (day);
  `,
}
