import type { Migration } from '../../kernel/database/migrate.ts'

export const oneTimeTokenTable: Migration = {
  name: '20261121-identity-one-time-token',
  sql: `
    -- One-time tokens of mailed links and codes. Using one proves that the person can read mails to the address.
    create table identity.one_time_token (
      id uuid primary key,
      purpose text not null,
      email text not null,
      -- Null: no account has this address, so the token gives access to nothing.
      person_id uuid,
      -- Only for an invitation.
      organization_id uuid,
      data jsonb not null,
      secret_hash text not null,
      -- Number of wrong guesses of a code.
      attempts int not null default 0,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3)
    );
    create index one_time_token_hash on identity.one_time_token (secret_hash);
    create index one_time_token_email on identity.one_time_token (email, purpose) where used_at is null;
    create index one_time_token_person on identity.one_time_token (person_id) where used_at is null;
    create index one_time_token_expires on identity.one_time_token (expires_at);
  `,
}
