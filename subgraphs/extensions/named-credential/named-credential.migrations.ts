import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const namedCredentialTables: Migration = {
  name: '20261128-extensions-named-credential',
  sql: `
    create table extensions.named_credential (${recordColumns},
      api_name text not null,
      label text not null,
      description text,
      base_url text not null,
      auth_type text not null,
      header_name text,
      username text,
      token_url text,
      client_id text,
      scopes text[] not null default '{}',
      static_headers jsonb not null default '{}',
      timeout_ms integer not null,
      is_active boolean not null,
      secret_status text not null,
      sealed_secret text
    );
    ${listIndexes('extensions.named_credential', 'named_credential', ['api_name', 'auth_type', 'secret_status'])}
    create unique index named_credential_api_name on extensions.named_credential (organization_id, api_name)
      where deleted_at is null;

    -- OAuth tokens. A row with a lease is being renewed, by one process at a time.
    create table extensions.named_credential_token (
      organization_id uuid not null references identity.organization,
      credential_id uuid not null,
      sealed_token text,
      expires_at timestamptz(3),
      lease_id uuid,
      lease_until timestamptz(3),
      primary key (organization_id, credential_id)
    );
  `,
}
