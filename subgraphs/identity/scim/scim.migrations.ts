import type { Migration } from '../../kernel/database/migrate.ts'

export const scimTables: Migration = {
  name: '20261121-identity-scim',
  sql: `
    -- At most one for an organization: its directory.
    create table identity.scim_token (
      organization_id uuid primary key references identity.organization,
      id uuid not null,
      -- SHA-256; the token itself is stored nowhere.
      token_hash text not null,
      prefix text not null,
      created_by_id uuid not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    );
    -- A request with a token does not say which organization it belongs to.
    create unique index scim_token_hash on identity.scim_token (token_hash);
  `,
}
