import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-extensions-external-ids',
  sql: [
    uniqueExternalIds([
      'extensions.named_credential',
      'extensions.field_definition',
      'extensions.custom_object',
      'extensions.validation_rule',
      'extensions.after_save_trigger',
      'extensions.custom_action',
      'extensions.before_save_hook',
    ]),
    uniqueExternalIds(['extensions.custom_record'], 'object'),
  ].join(''),
}
