import type { Migration } from '../../kernel/database/migrate.ts'
import {
  dropMaintainedCountTriggers,
  maintainedCountTriggers,
  maintainedTotals,
} from '../../kernel/record/record-table.ts'

export const apiKeyTable: Migration = {
  name: '20261121-identity-api-key',
  sql: `
    create table identity.api_key (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      prefix text not null,
      -- SHA-256 of the secret, which itself is not stored.
      secret_hash text not null,
      scopes text[] not null,
      rate_limit jsonb not null,
      ip_allow_list text[] not null default '{}',
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      previous_secret_expires_at timestamptz(3),
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
    -- A request with a key contains no organization id, so the key is found by its hash alone.
    create index api_key_secret_hash on identity.api_key (secret_hash);
    create index api_key_created on identity.api_key (organization_id, created_at, id) where deleted_at is null;
    create trigger api_key_tells
      after update of owner_id, secret_hash, scopes, rate_limit, ip_allow_list, expires_at, revoked_at,
        previous_secret_expires_at, deleted_at on identity.api_key
      for each row execute function identity.tell_credentials_changed('organization_id');
    ${maintainedCountTriggers('identity.api_key', 'api_key')}
  `,
}

export const formerSecretTable: Migration = {
  name: '20261121-identity-api-key-former-secret',
  sql: `
    -- Secrets that a rotation replaced. They are kept as long as their key, so that they are refused as expired and not as unknown.
    create table identity.api_key_former_secret (
      organization_id uuid not null,
      id uuid not null,
      api_key_id uuid not null,
      secret_hash text not null,
      created_at timestamptz(3) not null,
      -- When a later rotation ended the secret; null: the secret ends at previous_secret_expires_at of its key.
      superseded_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, api_key_id) references identity.api_key (organization_id, id)
    );
    create index api_key_former_secret_hash on identity.api_key_former_secret (secret_hash);
    create unique index api_key_former_secret_latest on identity.api_key_former_secret (organization_id, api_key_id)
      where superseded_at is null;
  `,
}

export const apiKeyExpiry: Migration = {
  name: '20261123-identity-api-key-expiry',
  sql: `
    -- The time of expiry that was announced.
    alter table identity.api_key add column expiry_announced_for timestamptz(3);
    create index api_key_expiring on identity.api_key (expires_at, id)
      where deleted_at is null and revoked_at is null and expiry_announced_for is distinct from expires_at;
  `,
}

export const apiKeyTotals: Migration = {
  name: '20261122-identity-api-key-totals',
  sql: `
    ${dropMaintainedCountTriggers('identity.api_key', 'api_key')}
    ${maintainedTotals('identity.api_key', { by: [] })}
  `,
}

/** Organizations take turns, so the keys of each that expire are found on their own. */
export const apiKeyTurns: Migration = {
  name: '20261211-identity-api-key-turns',
  sql: `
    drop index identity.api_key_expiring;
    create index api_key_expiring on identity.api_key (organization_id, expires_at, id)
      where deleted_at is null and revoked_at is null and expiry_announced_for is distinct from expires_at;
  `,
}
