import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** What `deploymentQueue` says of its table: a deployment and its item of the queue are one row. */
export const deploymentTable = {
  name: 'deployment',
  table: 'extensions.deployment',
  shares: { organization: 'organization_id', key: 'turn_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** Which tests a deployment runs, and what became of them. */
export const deploymentTests: Migration = {
  name: '20261223-extensions-deployment-tests',
  sql: `
    alter table ${deploymentTable.table}
      add column test_level text not null default 'NONE',
      -- Those of the level SPECIFIED.
      add column test_names jsonb,
      add column test_results jsonb not null default '[]';
  `,
}

export const deploymentTables: Migration = {
  name: '20261130-extensions-deployment',
  sql: `
    create table ${deploymentTable.table} (
      organization_id uuid not null,
      id uuid not null,
      -- One deployment of an organization at a time.
      turn_id uuid not null generated always as (organization_id) stored,
      status text not null default 'PENDING',
      check_only boolean not null,
      allow_destructive boolean not null,
      expected_version text,
      -- With which credential it was requested.
      caller jsonb not null,
      -- The files, compressed; null when it has ended.
      files bytea,
      -- Somebody wants it to end without an effect.
      is_cancelled boolean not null default false,
      version text,
      counts jsonb,
      components jsonb not null default '[]',
      problems jsonb not null default '[]',
      missing_secrets jsonb not null default '[]',
      warnings jsonb not null default '[]',
      created_by_id uuid,
      requested_at timestamptz(3) not null,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(deploymentTable)}
  `,
}
