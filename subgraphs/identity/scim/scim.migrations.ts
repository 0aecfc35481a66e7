import type { Migration } from '../../kernel/database/migrate.ts'

export const scimTables: Migration = {
  name: '20261121-identity-scim',
  sql: `
    -- The token of the directory; at most one in each organization.
    create table identity.scim_token (
      organization_id uuid primary key references identity.organization,
      id uuid not null,
      -- SHA-256 of the token, which itself is not stored.
      token_hash text not null,
      prefix text not null,
      created_by_id uuid not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    );
    -- A request with a token contains no organization id, so the token is found by its hash alone.
    create unique index scim_token_hash on identity.scim_token (token_hash);
  `,
}
