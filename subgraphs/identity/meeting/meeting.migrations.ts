import type { Migration } from '../../kernel/database/migrate.ts'

export const meetingTables: Migration = {
  name: '20261121-identity-meeting',
  sql: `
    -- A started connection to a meeting provider. The provider's callback contains the state, of which the hash is stored here.
    create table identity.meeting_state (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      session_id uuid not null,
      user_id uuid not null,
      provider text not null,
      state_hash text not null,
      -- The PKCE code verifier, encrypted.
      verifier text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      primary key (organization_id, id)
    );
    create unique index meeting_state_hash on identity.meeting_state (organization_id, state_hash);
    create index meeting_state_expires on identity.meeting_state (expires_at);

    create table identity.meeting_connection (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      user_id uuid not null,
      provider text not null,
      -- The provider's tokens, encrypted.
      tokens text not null,
      scope text,
      expires_at timestamptz(3),
      connected_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, user_id, provider),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
  `,
}
