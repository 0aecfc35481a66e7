import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const customActionTable: Migration = {
  name: '20261128-extensions-custom-action',
  sql: `
    create table extensions.custom_action (${recordColumns},
      api_name text not null,
      label text not null,
      description text,
      url text,
      function text,
      input_schema jsonb not null,
      output_schema jsonb not null,
      kind text not null,
      idempotent boolean not null,
      max_retries integer not null,
      timeout_ms integer not null,
      object_types text[] not null default '{}',
      allow_manual boolean not null,
      expose_as_tool boolean not null,
      tool_description text,
      is_active boolean not null,
      sealed_secret text
    );
    ${listIndexes('extensions.custom_action', 'custom_action', ['api_name', 'kind'])}
    create unique index custom_action_api_name on extensions.custom_action (organization_id, api_name)
      where deleted_at is null;
  `,
}

/** Runs with an idempotency key that have begun. */
export const actionClaimTable: Migration = {
  name: '20261129-extensions-action-claim',
  sql: `
    create table extensions.action_claim (
      organization_id uuid not null references identity.organization,
      key text not null,
      begun_at timestamptz(3) not null,
      primary key (organization_id, key)
    );
    create index action_claim_begun on extensions.action_claim (organization_id, begun_at);
  `,
}

export const actionMappings: Migration = {
  name: '20261231-extensions-custom-action-mappings',
  sql: 'alter table extensions.custom_action add column input_mapping jsonb, add column output_mapping jsonb;',
}

export const actionPreviousSecret: Migration = {
  name: '20261129-extensions-custom-action-previous-secret',
  sql: `
    alter table extensions.custom_action
      add column sealed_previous_secret text, add column previous_secret_expires_at timestamptz(3);
  `,
}
