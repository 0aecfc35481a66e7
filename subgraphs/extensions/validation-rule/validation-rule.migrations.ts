import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const validationRuleTable: Migration = {
  name: '20261128-extensions-validation-rule',
  sql: `
    create table extensions.validation_rule (${recordColumns},
      entity_type text not null,
      name text not null,
      description text,
      is_active boolean not null,
      applies_to text not null,
      conditions jsonb not null default '[]',
      logic text not null,
      error_message text not null,
      error_field text
    );
    ${listIndexes('extensions.validation_rule', 'validation_rule', ['entity_type', 'name'])}
    create unique index validation_rule_name on extensions.validation_rule (organization_id, entity_type, name)
      where deleted_at is null;
  `,
}
