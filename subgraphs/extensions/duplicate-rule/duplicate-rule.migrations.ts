import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, recordColumns, uniqueExternalIds } from '../../kernel/record/record-table.ts'

/** What `duplicateKeyQueue` says of its table. */
export const duplicateKeys = {
  name: 'duplicate_keys',
  table: 'extensions.duplicate_keys',
  shares: { organization: 'organization_id', key: 'rule_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** The rules, and one row for each change of a rule whose keys are being written or removed. */
export const duplicateRuleTables: Migration = {
  name: '20261216-extensions-duplicate-rule',
  sql: `
    create table extensions.duplicate_rule (${recordColumns},
      object text not null,
      name text not null,
      matchers jsonb not null default '[]',
      logic text not null,
      action text not null,
      is_active boolean not null,
      state text not null
    );
    ${listIndexes('extensions.duplicate_rule', 'duplicate_rule', ['object', 'name'])}
    ${uniqueExternalIds(['extensions.duplicate_rule'])}
    create unique index duplicate_rule_name on extensions.duplicate_rule (organization_id, object, name) where deleted_at is null;

    create table ${duplicateKeys.table} (
      organization_id uuid not null,
      id uuid not null,
      rule_id uuid not null,
      -- The record type, and the last record whose keys were written.
      object text not null,
      cursor uuid,
      -- The names of the keys that the rule had before.
      fields text[] not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(duplicateKeys)}
  `,
}
