import type { Migration } from '../../kernel/database/migrate.ts'

export const sessionOfUser: Migration = {
  name: '20261123-identity-session-of-user',
  sql: 'create index session_of_user on identity.session (organization_id, user_id, created_at)',
}

export const sessionTables: Migration = {
  name: '20261121-identity-session',
  sql: `
    -- One sign-in: a family of refresh tokens.
    create table identity.session (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      user_id uuid not null,
      ip text not null,
      user_agent text not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      ended_reason text,
      primary key (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create index session_id on identity.session (id);
    create index session_live on identity.session (organization_id, user_id) where ended_at is null;
    create trigger session_tells after update of ended_at on identity.session
      for each row execute function identity.tell_credentials_changed('organization_id');

    create table identity.refresh_token (
      organization_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      token_hash text not null,
      created_at timestamptz(3) not null,
      used_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, session_id) references identity.session (organization_id, id)
    );
    -- A request with a token contains no organization id, so the token is found by its hash alone.
    create index refresh_token_hash on identity.refresh_token (token_hash);
    create index refresh_token_session on identity.refresh_token (organization_id, session_id);
  `,
}
