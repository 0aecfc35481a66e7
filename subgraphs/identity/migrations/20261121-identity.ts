import type { Migration } from '../../kernel/database/migrate.ts'

export const identityTables: Migration = {
  name: '20261121-identity',
  sql: `
    create table identity.organization (
      id uuid primary key,
      name text not null,
      code text not null unique,
      status text not null default 'ACTIVE',
      settings jsonb not null default '{}',
      entitlements text[] not null default '{}',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );

    -- A human being; belongs to no organization. In each organization it is a user.
    create table identity.person (
      id uuid primary key,
      email text not null,
      password_hash text,
      name text not null,
      first_name text,
      last_name text,
      timezone text not null default 'UTC',
      locale text not null default 'en',
      email_verified_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );
    create unique index person_email on identity.person (lower(email));

    create table identity.app_user (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      person_id uuid not null references identity.person,
      role text not null,
      visibility text not null,
      is_active boolean not null default true,
      left_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, person_id)
    );
    create index app_user_person on identity.app_user (person_id);

    create table identity.team (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      name text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create table identity.team_member (
      organization_id uuid not null,
      team_id uuid not null,
      user_id uuid not null,
      primary key (organization_id, team_id, user_id),
      foreign key (organization_id, team_id) references identity.team (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create index team_member_user on identity.team_member (organization_id, user_id);

    create table identity.api_key (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      prefix text not null,
      secret_hash text not null unique,
      scopes text[] not null,
      rate_limit integer not null,
      rate_window text not null,
      ip_allow_list text[] not null default '{}',
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      deleted_at timestamptz(3),
      request_count bigint not null default 0,
      rate_limit_hits bigint not null default 0,
      last_used_at timestamptz(3),
      last_used_ip text,
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      foreign key (organization_id, owner_id) references identity.app_user (organization_id, id)
    );

    -- One sign-in: a family of refresh tokens, of which the latest counts.
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
    create table identity.refresh_token (
      organization_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      token_hash text not null unique,
      created_at timestamptz(3) not null,
      used_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, session_id) references identity.session (organization_id, id)
    );
  `,
}
